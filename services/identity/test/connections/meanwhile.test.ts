import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type SentChange, updateConnection } from '../../src/connections/connection-change.ts'
import { removeLink } from '../../src/connections/link.ts'
import { actor } from '../store/replica.ts'
import { useConnectionLogins } from './logging-in.ts'

const used = useConnectionLogins()
const { shared, standIn, deps, loginDeps, add, begin, finish, comeBack, run } = used
const { organizationWith, arrives, withAddress, session, right } = used

const change = (connectionId: string, wanted: Partial<SentChange>) =>
  updateConnection({ connectionId, revision: 0n, ...wanted }, actor, deps())

/** An organization whose connection puts people with the locale `de` into its group. */
async function withGroup() {
  const { organizationId, domain } = await organizationWith()
  const groupId = randomUUID()
  await shared.query(
    'insert into identity.groups (group_id, name, description, organization_id) values ($1, $2, $3, $4)',
    [groupId, 'Staff', '', organizationId],
  )
  const mapping = [{ claim: 'locale', value: 'de', group: 'staff' }]
  const { connectionId } = await add({ organizationId, mapping })
  const members = () =>
    shared.query('select user_id from identity.group_members where group_id = $1', [groupId])
  return { connectionId, domain, members }
}

/** Begins a login, and lets somebody change the connection while the provider takes its time with the code. */
async function changedMeanwhile(connectionId: string, wanted: Partial<SentChange>) {
  standIn().register(`https://auth.example/auth/callback/${connectionId}`)
  const of = loginDeps()
  const begun = await begin(connectionId, {}, of)
  const query = await comeBack(begun)
  const { find } = of.loginConnections
  of.loginConnections = {
    async find(id) {
      const found = await find(id)
      await change(connectionId, wanted)
      return found
    },
  }
  return finish(begun, query, {}, of)
}

describe('a login under way', () => {
  test('gives nothing that the mapping gives no longer', async () => {
    const { connectionId, domain, members } = await withGroup()
    withAddress(domain, { locale: 'de' })
    right(await changedMeanwhile(connectionId, { mapping: [] }))
    expect(await members()).toEqual([])
  })

  test('creates nobody where nobody is created any more', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    expect(await changedMeanwhile(connectionId, { newUsers: 'never' })).toMatchObject({
      outcome: 'not invited',
    })
  })

  test('is judged by the acr values of now', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    expect(await changedMeanwhile(connectionId, { acrValues: 'high' })).toMatchObject({
      outcome: 'bad answer',
    })
  })

  test('begins no session after a change that ended the logins', async () => {
    const { connectionId } = await add({ newUsers: 'always', trustsSecondFactor: true })
    arrives()
    const of = loginDeps()
    const { begin: beginSession } = of.sessions
    of.sessions = {
      ...of.sessions,
      async begin(wanted) {
        await change(connectionId, { trustsSecondFactor: false })
        return beginSession(wanted)
      },
    }
    expect(await run(connectionId, {}, of)).toMatchObject({ outcome: 'disabled' })
    right(await run(connectionId))
  })
})

describe('a change of a connection', () => {
  test.each([
    ['stricter acr values', { acrValues: 'low high' }, { acrValues: 'high' }],
    ['no trust in second factors', { trustsSecondFactor: true }, { trustsSecondFactor: false }],
  ])('to %s ends the logins', async (_, before, after) => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    const { secret } = right(await run(connectionId)).session
    await change(connectionId, { name: 'Other', onLoginPage: false })
    expect(await session(secret)).toBeDefined()
    await shared.query(
      'update identity.connections set acr_values = $2, trusts_second_factor = $3 where connection_id = $1',
      [connectionId, 'acrValues' in before ? before.acrValues : null, 'trustsSecondFactor' in before],
    )
    await change(connectionId, after)
    expect(await session(secret)).toBeUndefined()
  })

  test('that takes a tenant ends the logins of its people', async () => {
    const [one, two] = [randomUUID(), randomUUID()]
    const { connectionId } = await add({ kind: 'microsoft', issuer: '', tenants: [one] })
    const revocations = async () =>
      (
        await shared.query(
          "select from identity.pending_revocations where kind = 'connection' and target = $1",
          [connectionId],
        )
      ).length + shared.replica().revoked.filter(({ target }) => target === connectionId).length
    await change(connectionId, { tenants: [one, two] })
    expect(await revocations()).toBe(0)
    await change(connectionId, { tenants: [two] })
    expect(await revocations()).toBeGreaterThan(0)
  })

  test('to another issuer takes what the mapping gave', async () => {
    const { connectionId, domain, members } = await withGroup()
    withAddress(domain, { locale: 'de' })
    right(await run(connectionId))
    expect(await members()).toHaveLength(1)
    await shared.query(
      "update identity.connections set issuer = 'https://former.example' where connection_id = $1",
      [connectionId],
    )
    await change(connectionId, { issuer: standIn().issuer, clientSecret: 'another secret' })
    expect(await members()).toEqual([])
  })
})

describe('a link', () => {
  test('and the end of its connection never deadlock', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { connectionId } = await add({ newUsers: 'always' })
      arrives()
      const { secret } = right(await run(connectionId)).session
      standIn().register(`https://auth.example/auth/callback/${connectionId}`)
      arrives()
      const begun = await begin(connectionId, { purpose: 'link', sessionSecret: secret })
      const query = await comeBack(begun)
      // Sooner or later, so that they meet at each step.
      const later = new Promise((done) => setTimeout(done, round * 4))
      await Promise.all([
        finish(begun, query, { previousSecret: secret }),
        later.then(() => change(connectionId, { disabled: true })),
      ])
    }
  })

  test('that is removed takes the groups, also where another one leads to nobody', async () => {
    const { connectionId, domain, members } = await withGroup()
    const subject = withAddress(domain, { locale: 'de' })
    const { user } = right(await run(connectionId)).session.session
    await shared.query(
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
      values ($1, 'https://former.example', 'a', $2, 'Ann')`,
      [connectionId, user.id],
    )
    await removeLink({ connectionId, issuer: standIn().issuer, subject }, actor, deps())
    expect(await members()).toEqual([])
  })

  test('is no other way to log in to the account if it is to a connection of an organization, nor is a passkey that only proves a second factor', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const subject = arrives()
    const { session: begun } = right(await run(connectionId))
    const { id: userId } = begun.session.user
    const { organizationId } = await organizationWith({ [userId]: 'member' })
    const acme = await add({ organizationId })
    await shared.query(
      "insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name) values ($1, $2, 'x', $3, '')",
      [acme.connectionId, standIn().issuer, userId],
    )
    const remove = () =>
      removeLink(
        { connectionId, issuer: standIn().issuer, subject, userId, sessionSecret: begun.secret },
        actor,
        deps(),
      )
    await expect(remove()).rejects.toThrow('last way')
    const passkeyId = randomUUID()
    await shared.query(
      `insert into identity.passkeys (id, user_id, credential_id, public_key, counter, backup_eligible, backed_up, name)
      values ($1, $2, $3, '', 0, false, false, 'Key')`,
      [passkeyId, userId, Buffer.from(passkeyId)],
    )
    // The session has proven the second factor, without which nothing about ways to log in changes.
    await shared.query("update identity.sessions set methods = '{pop,mfa}' where id = $1", [begun.session.id])
    await expect(remove()).rejects.toThrow('last way')
    await shared.query('update identity.passkeys set user_verified = true where id = $1', [passkeyId])
    await remove()
  })
})
