import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { requestPasswordReset } from '../../src/accounts/password-recovery.ts'
import { authenticateUser } from '../../src/logins/authentication.ts'
import { recoverAdministratorIn } from '../../src/recover-administrator.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { getUser } from '../../src/users/user-list.ts'
import { mailDeps, newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, attemptOf, rightPassword, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const mailbox = useMailbox(shared)

const environment = () => ({ OAUTH2_DATABASE_URL: shared.url() })
const newPassword = 'entirely another one'
const recover = (
  username: string,
  changes: { newPassword?: string | undefined; keepFactors?: boolean } = {},
) => recoverAdministratorIn(environment(), { username, newPassword, keepFactors: false, ...changes })
const authenticate = async (username: string, password: string) =>
  (await authenticateUser(attemptOf(username, password), shared.replica().login)).outcome
const rows = (table: string, userId: string) =>
  shared.query(`select user_id from identity.${table} where user_id = $1`, [userId])

/** A user who has passkeys, an app and recovery codes; nobody can read them. */
async function addFactors(userId: string) {
  await shared.query(
    `insert into identity.passkeys
       (id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, name)
     values (gen_random_uuid(), $1, uuid_send($1), '', 0, true, true, 'Laptop')`,
    [userId],
  )
  await shared.query(`insert into identity.totp_factors (user_id, seed, last_step) values ($1, '', 0)`, [
    userId,
  ])
  await shared.query(
    `insert into identity.recovery_codes (user_id, code_digest) values ($1, sha256('code'))`,
    [userId],
  )
}

describe('recovering an administrator', () => {
  test('makes a disabled user an administrator who can log in, and ends what they had', async () => {
    const { id, username } = await shared.addUser()
    await shared.browserOf(username)
    await addFactors(id)
    await shared.query('update identity.users set disabled_at = now() where id = $1', [id])

    expect(await recover(username.toUpperCase())).toEqual({
      username,
      created: false,
      generatedPassword: undefined,
    })
    expect(await authenticate(username, newPassword)).toBe('right')
    expect(await authenticate(username, rightPassword)).toBe('wrong')
    expect(await shared.query('select is_admin from identity.users where id = $1', [id])).toEqual([
      { is_admin: true },
    ])
    for (const table of ['sessions', 'passkeys', 'totp_factors', 'recovery_codes'])
      expect(await rows(table, id), table).toEqual([])
    await shared.replica().deliverAll()
    expect(shared.replica().revoked).toContainEqual(expect.objectContaining({ kind: 'user', target: id }))
  })

  test('is in the audit log with the account on the machine, and without the password', async () => {
    const { id, username } = await shared.addUser()
    await recover(username)
    const audit = await shared.auditOf(id)
    expect(audit.map(({ action }) => action)).toEqual([
      ...['user.update', 'user.factors.reset', 'user.password.reset'],
    ])
    for (const entry of audit)
      expect(entry).toMatchObject({
        actor_id: 'command-line',
        actor_name: expect.stringMatching(/^.+ on .+$/),
      })
    expect(JSON.stringify(audit)).not.toContain(newPassword)
  })

  test('keeps the factors of a user who still has them', async () => {
    const { id, username } = await shared.addUser()
    await addFactors(id)
    await recover(username, { keepFactors: true })
    for (const table of ['passkeys', 'totp_factors', 'recovery_codes'])
      expect(await rows(table, id), table).toHaveLength(1)
  })

  test('leaves no way in to whoever reads the mails of an address that nobody has confirmed since', async () => {
    const { id, username } = await shared.addUser()
    const address = newAddress()
    const attributes = { email: address, email_verified: true }
    await updateUser({ userId: id, attributes }, actor, shared.replica().admin.changes)
    const { recovery } = mailDeps(shared.replica())
    const reset = async () => {
      await requestPasswordReset({ username, language: 'en' }, recovery)
      return mailbox.arriving(address)
    }
    await recover(username, { keepFactors: true })
    expect(await reset()).toHaveLength(1)
    await recover(username)
    expect(await reset()).toEqual([])
    const user = await getUser(id, shared.replica().admin.list)
    expect(user.attributes).toEqual({ email: address, email_verified: false })
  })

  test('takes no address for a name: it would promote whoever has it', async () => {
    const { id } = await shared.addUser()
    const address = newAddress()
    const attributes = { email: address, email_verified: true }
    await updateUser({ userId: id, attributes }, actor, shared.replica().admin.changes)
    await expect(recover(address)).rejects.toMatchObject({ code: 'invalid_request' })
    expect((await getUser(id, shared.replica().admin.list)).adminRole).toBeNull()
  })

  test('lets a user in whose name was blocked by failed logins', async () => {
    const { username } = await shared.addUser()
    await shared.query(
      `insert into identity.login_failures (kind, key_digest, failures, window_ends, under_way, under_way_until)
       values ('user', sha256(convert_to($1, 'UTF8')), 200, now() + interval '15 minutes', 0, now())`,
      [username],
    )
    expect(await authenticate(username, rightPassword)).toBe('throttled')
    await recover(username)
    expect(await authenticate(username, newPassword)).toBe('right')
  })

  test('creates an administrator if there is nobody of that name', async () => {
    const username = `root-${randomUUID()}`
    const { created, generatedPassword } = await recover(username, { newPassword: undefined })
    expect([created, generatedPassword]).toEqual([true, expect.stringMatching(/^(\w{5}-){3}\w{5}$/)])
    expect(await authenticate(username, generatedPassword ?? '')).toBe('right')
    // Again, for somebody who did not note the password.
    const again = await recover(username, { newPassword: undefined })
    expect(again.created).toBe(false)
    expect(await authenticate(username, again.generatedPassword ?? '')).toBe('right')
  })

  test('tells the user by mail where mails are sent', async () => {
    const { id, username } = await shared.addUser()
    await shared.query(
      `update identity.users set attributes = '{"email":"ann@example.com","email_verified":true}' where id = $1`,
      [id],
    )
    const mails = async () =>
      (await shared.query('select kind from identity.mails where user_id = $1 order by kind', [id])).map(
        ({ kind }) => kind,
      )
    await recover(username, { keepFactors: true })
    expect(await mails()).toEqual([])
    const mailing = { ...environment(), OAUTH2_SMTP_URL: 'smtp://mail.example' }
    await recoverAdministratorIn(mailing, { username, newPassword, keepFactors: false })
    expect(await mails()).toEqual(['factor_removed', 'password_changed'])
  })

  test('refuses a password that breaks the rule, and changes nothing then', async () => {
    const { id, username } = await shared.addUser()
    await expect(recover(username, { newPassword: 'short' })).rejects.toThrow('at least 12 characters')
    expect(await authenticate(username, rightPassword)).toBe('right')
    expect(await shared.auditOf(id)).toEqual([])
  })

  test('says which database does not answer, without its password', async () => {
    const url = 'postgresql://gatehouse:hunter2@127.0.0.1:1/gatehouse'
    const recovery = { username: 'admin', newPassword: undefined, keepFactors: false }
    const failed = recoverAdministratorIn({ OAUTH2_DATABASE_URL: url }, recovery)
    await expect(failed).rejects.toThrow(
      /^The database at 127\.0\.0\.1:1\/gatehouse does not answer: .*ECONNREFUSED/,
    )
    await expect(recoverAdministratorIn({}, recovery)).rejects.toThrow('OAUTH2_DATABASE_URL is not set')
  })
})
