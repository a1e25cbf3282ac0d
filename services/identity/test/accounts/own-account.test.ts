import { beforeEach, describe, expect, test } from 'vitest'
import { deleteOwnAccount, recordDataDownload } from '../../src/accounts/own-account.ts'
import { listSessions } from '../../src/logins/session.ts'
import { deleteUser, updateUser } from '../../src/users/user-change.ts'
import { addOrganization, setDisabled, setMembers } from '../organizations/organizations.ts'
import { appCode, sessionOf, useFactors } from '../store/factors/factors.ts'
import { newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, type Replica } from '../store/replica.ts'

const shared = useFactors()
const mailbox = useMailbox(shared)
beforeEach(() => shared.query('update identity.users set is_admin = false'))

const ipAddress = '192.0.2.7'
const remove = (secret: string, replica: Replica = shared.replica()) =>
  deleteOwnAccount(sessionOf(secret), { ipAddress, language: 'de' }, replica.ownAccount)
const download = (secret: string) =>
  recordDataDownload(sessionOf(secret), { ipAddress }, shared.replica().ownAccount)
const loginRequired = { code: 'login_required' }
const setAttributes = (userId: string, attributes: Record<string, unknown>) =>
  updateUser({ userId, attributes }, actor, shared.replica().admin.changes)
const eventsOf = (id: string, replica = shared.replica()) =>
  replica.emitted.filter(({ userId }) => userId === id).map(({ type }) => type)

/** The tables with rows of a user, with how many there are. */
async function rowsOf(userId: string): Promise<Record<string, number>> {
  const columns = await shared.query(
    `select table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where table_schema = 'identity' and column_name = 'user_id' and table_type = 'BASE TABLE'`,
  )
  const counts = await Promise.all(
    columns.map(async ({ table_name: table }) => {
      const [row] = await shared.query(
        `select count(*)::int as count from identity."${table}" where user_id = $1`,
        [userId],
      )
      return [String(table), Number(row?.count)] as const
    }),
  )
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

describe('deleting one’s own account', () => {
  test('leaves nothing of the user, revokes their tokens for good and writes an audit entry by them', async () => {
    const replica = shared.another()
    const { id, username, secret } = await shared.userWithSession()
    await setAttributes(id, { email: newAddress(), email_verified: true })
    const { secret: proven } = await shared.addPasskey(secret)
    await shared.addApp(proven)
    const { id: other, secret: elsewhere } = await shared.userWithSession()
    await shared.pendingLogin(username)
    await shared.query(
      `insert into identity.consents (user_id, client_id, scope) values ($1, 'client_a', 'read')`,
      [id],
    )
    const before = Object.keys(await rowsOf(id))
    for (const table of ['sessions', 'consents', 'passkeys', 'totp_factors', 'recovery_codes', 'mails'])
      expect(before).toContain(table)

    await remove(proven, replica)
    expect(await rowsOf(id)).toEqual({})
    expect(replica.revoked).toEqual([{ kind: 'user', target: id, issuedBefore: undefined }])
    expect((await shared.auditOf(id)).at(-1)).toEqual({
      action: 'user.delete',
      before: { username, admin_role: null, disabled: false },
      after: null,
      actor_kind: 'user',
      actor_id: id,
      actor_name: username,
      ip_address: ipAddress,
    })
    expect(eventsOf(id, replica)).toEqual(['account_deleted'])
    expect((await shared.tryLogin(username)).outcome).toBe('wrong')
    expect(await listSessions(other, replica.sessions)).toHaveLength(1)
    await expect(remove(proven, replica)).rejects.toMatchObject(loginRequired)
    await remove(elsewhere, replica)
  })

  test('tells a confirmed address by mail, in the user’s language or else that of the page', async () => {
    const ann = await shared.userWithSession()
    const [annAddress, bobAddress] = [newAddress(), newAddress()]
    await setAttributes(ann.id, { email: annAddress, email_verified: true, locale: 'fr' })
    await remove(ann.secret)
    const mail = await mailbox.mailFor(annAddress)
    expect(mail.subject).toBe('Votre compte sur Gatehouse a été supprimé')
    expect(mail.text).toContain(ann.username)
    const bob = await shared.userWithSession()
    await setAttributes(bob.id, { email: bobAddress, email_verified: true })
    await remove(bob.secret)
    expect((await mailbox.mailFor(bobAddress)).subject).toBe('Ihr Konto bei Gatehouse wurde gelöscht')
  })

  test('sends no mail to an address that was never confirmed', async () => {
    const { id, secret } = await shared.userWithSession()
    const address = newAddress()
    await setAttributes(id, { email: address })
    await remove(secret)
    expect(await shared.query('select from identity.mails where recipient = $1', [address])).toEqual([])
  })

  test('also deletes the mails that went to a confirmed address before there was an account', async () => {
    const { id, secret } = await shared.userWithSession()
    const [mine, foreign] = [newAddress(), newAddress()]
    for (const address of [mine.toUpperCase(), foreign])
      await shared.query(
        `insert into identity.mails (mail_id, kind, recipient, language, state, ended_at)
        values (gen_random_uuid(), 'sign_up', $1, 'en', 'sent', now())`,
        [address],
      )
    await setAttributes(id, { email: mine, email_verified: true })
    await remove(secret)
    const kinds = async (address: string) =>
      (
        await shared.query('select kind from identity.mails where lower(recipient) = lower($1)', [address])
      ).map(({ kind }) => kind)
    expect(await kinds(mine)).toEqual(['account_deleted'])
    expect(await kinds(foreign)).toEqual(['sign_up'])
  })

  test('needs a login of the last five minutes', async () => {
    const { id, secret } = await shared.userWithSession()
    await shared.age(secret, 301)
    await expect(remove(secret)).rejects.toMatchObject(loginRequired)
    await expect(remove('unknown')).rejects.toMatchObject(loginRequired)
    expect(await listSessions(id, shared.replica().sessions)).toHaveLength(1)
    expect(await shared.auditOf(id)).toEqual([])
  })

  test('needs the second factor of a user who has one', async () => {
    const { id, username, secret } = await shared.userWithSession()
    const { secret: other } = await shared.browserOf(username)
    const { app, secret: proven, enrolledAt } = await shared.addApp(secret)
    await expect(remove(other)).rejects.toMatchObject(loginRequired)
    expect(await listSessions(id, shared.replica().sessions)).not.toEqual([])
    const at = enrolledAt + 30_000
    const raised = await shared.prove(sessionOf(other), appCode(app.code(at)), { at })
    if (raised.outcome !== 'right') throw new Error(`the factor was ${raised.outcome}`)
    await remove(raised.value.secret)
    await expect(remove(proven)).rejects.toMatchObject(loginRequired)
  })

  test('is refused to the last active administrator only', async () => {
    const first = await shared.userWithSession({ adminRole: 'owner' })
    const second = await shared.userWithSession({ adminRole: 'owner' })
    const results = await Promise.allSettled([remove(first.secret), remove(second.secret, shared.another())])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'access_denied' },
    })
    const [left] = await shared.query('select count(*)::int as count from identity.users where is_admin')
    expect(left).toEqual({ count: 1 })
  })

  test('is refused to the last owner of an organization that has other members, until they hand it on', async () => {
    const replica = shared.replica()
    const [owner, member] = [await shared.userWithSession(), await shared.userWithSession()]
    const { organizationId } = await addOrganization(replica, { [owner.id]: 'owner', [member.id]: 'admin' })
    expect(await remove(owner.secret)).toEqual({ ownedOrganization: 'Acme' })
    expect((await listSessions(owner.id, replica.sessions)).length).toBe(1)
    expect(await shared.auditOf(owner.id)).toEqual([])
    await setMembers(replica, organizationId, { [member.id]: 'owner' })
    expect(await remove(owner.secret)).toEqual({ ownedOrganization: undefined })
    // Nobody else is left to whom it could be handed on.
    expect(await remove(member.secret)).toEqual({ ownedOrganization: undefined })
  })

  test('is not refused for an organization that is disabled', async () => {
    const [owner, member] = [await shared.userWithSession(), await shared.addUser()]
    const members = { [owner.id]: 'owner', [member.id]: 'member' } as const
    const { organizationId } = await addOrganization(shared.replica(), members)
    await setDisabled(shared.replica(), organizationId, true)
    expect(await remove(owner.secret)).toEqual({ ownedOrganization: undefined })
  })

  test('leaves an owner when the last two ask for it at once', async () => {
    const replicas = [shared.another(), shared.another()] as const
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await shared.userWithSession(), await shared.userWithSession()]
      const { id } = await shared.addUser()
      await addOrganization(replicas[0], { [one.id]: 'owner', [two.id]: 'owner', [id]: 'member' })
      const outcomes = await Promise.all([remove(one.secret, replicas[0]), remove(two.secret, replicas[1])])
      expect(outcomes).toEqual(
        expect.arrayContaining([{ ownedOrganization: 'Acme' }, { ownedOrganization: undefined }]),
      )
    }
  })

  test('happens once, however often it is asked for, and beside an administrator’s deletion', async () => {
    const replica = shared.another()
    for (let round = 0; round < 5; round += 1) {
      const { id, username, secret } = await shared.userWithSession()
      const results = await Promise.allSettled([
        remove(secret),
        remove(secret, replica),
        deleteUser(id, actor, replica.admin.changes),
        shared.browserOf(username),
        download(secret),
      ])
      expect(results.slice(0, 3).filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await rowsOf(id)).toEqual({})
      const actions = (await shared.auditOf(id)).map(({ action }) => action)
      expect(actions.filter((action) => action === 'user.delete')).toHaveLength(1)
    }
  })
})

describe('the download of one’s own data', () => {
  test('is in the audit log, by the user', async () => {
    const { id, username, secret } = await shared.userWithSession()
    await download(secret)
    expect(await shared.auditOf(id)).toEqual([
      {
        action: 'user.data.download',
        before: null,
        after: null,
        actor_kind: 'user',
        actor_id: id,
        actor_name: username,
        ip_address: ipAddress,
      },
    ])
    expect(eventsOf(id)).toEqual(['data_downloaded'])
  })

  test('needs a login of the last five minutes, with the second factor of a user who has one', async () => {
    const { id, username, secret } = await shared.userWithSession()
    const { secret: other } = await shared.browserOf(username)
    const { secret: proven } = await shared.addApp(secret)
    await expect(download(other)).rejects.toMatchObject(loginRequired)
    await shared.age(proven, 301)
    await expect(download(proven)).rejects.toMatchObject(loginRequired)
    expect(await shared.auditOf(id)).toEqual([])
  })
})
