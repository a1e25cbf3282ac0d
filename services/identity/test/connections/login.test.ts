import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deleteConnection, updateConnection } from '../../src/connections/connection-change.ts'
import { actor } from '../store/replica.ts'
import { useConnectionLogins } from './logging-in.ts'

const {
  shared,
  standIn,
  deps,
  add,
  loginDeps,
  begin,
  comeBack,
  finish,
  run,
  counts,
  arrives,
  session,
  right,
  linksOf,
} = useConnectionLogins()

describe('a login by a connection of the instance', () => {
  test('creates a user where everybody gets one, and finds them the next time', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const sub = arrives({ email: `ann-${randomUUID()}@example.com`, email_verified: true })
    const first = right(await run(connectionId))
    expect(first).toMatchObject({
      created: true,
      organizationId: undefined,
      returnTo: '/account',
      name: 'Example',
    })
    expect(await linksOf(connectionId)).toMatchObject([{ last_login_at: expect.any(Date) }])
    const second = right(await run(connectionId))
    expect(second).toMatchObject({
      created: false,
      session: { session: { user: first.session.session.user } },
    })
    expect(await linksOf(connectionId)).toMatchObject([{ subject: sub, issuer: standIn().issuer }])
    expect(await session(second.session.secret)).toMatchObject({ connectionId, organizationsOnly: false })
    expect(counts).toEqual(['oidc right', 'oidc right'])
  })

  test('creates nobody without a rule for it, and nobody whose address a user has', async () => {
    const { connectionId } = await add()
    arrives()
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
    const always = await add({ newUsers: 'always' })
    const email = `known-${randomUUID()}@example.com`
    const user = await shared.addUser()
    await shared.query('update identity.users set attributes = $2 where id = $1', [
      user.id,
      { email, email_verified: true },
    ])
    arrives({ email: email.toUpperCase(), email_verified: true })
    expect(await run(always.connectionId)).toMatchObject({ outcome: 'has account' })
    arrives({ email, email_verified: false })
    expect(await run(always.connectionId)).toMatchObject({ outcome: 'right', created: true })
  })

  test('gives one user to two callbacks of one new person', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const begun = await Promise.all([begin(connectionId), begin(connectionId)])
    const queries = await Promise.all(begun.map((each) => comeBack(each)))
    const done = await Promise.all(begun.map((each, index) => finish(each, queries[index] ?? '')))
    const users = done.map((each) => right(each).session.session.user.id)
    expect(new Set(users).size).toBe(1)
    expect(done.map((each) => right(each).created).sort()).toEqual([false, true])
  })

  test('leads to nobody once the connection has another issuer', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    right(await run(connectionId))
    await shared.query("update identity.connections set new_users = 'never' where connection_id = $1", [
      connectionId,
    ])
    await shared.query(
      "update identity.connection_links set issuer = 'https://former.example' where connection_id = $1",
      [connectionId],
    )
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
    expect(await deps().connections.countLinks(connectionId)).toEqual({ links: 1, orphanedLinks: 1 })
  })

  test('does not begin or finish where it is disabled meanwhile, or organizations are off', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const begun = await begin(connectionId)
    const query = await comeBack(begun)
    await updateConnection({ connectionId, revision: 0n, disabled: true }, actor, deps())
    expect(await finish(begun, query)).toMatchObject({ outcome: 'no connection', returnTo: '/account' })
    await expect(begin(connectionId)).rejects.toThrow('no connection')
    await updateConnection({ connectionId, revision: 0n, disabled: false }, actor, deps())
    await expect(begin(connectionId, {}, loginDeps({ isOn: false }))).rejects.toThrow('no connection')
  })

  test('waits for the second factor of the user, unless the provider is trusted to have seen two', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    const { user } = right(await run(connectionId)).session.session
    await shared.query(`insert into identity.totp_factors (user_id, seed, last_step) values ($1, 'x', 0)`, [
      user.id,
    ])
    standIn().tamper = (claims) => ({ ...claims, amr: ['pwd', 'mfa'] })
    expect(await run(connectionId)).toMatchObject({ outcome: 'second factor' })
    await updateConnection({ connectionId, revision: 0n, trustsSecondFactor: true }, actor, deps())
    const trusted = right(await run(connectionId))
    expect(trusted.session.session.methods).toEqual(['pwd', 'mfa'])
  })

  test('ends with the connection', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    const { session: begun } = right(await run(connectionId))
    await deleteConnection({ connectionId }, actor, deps())
    expect(await session(begun.secret)).toBeUndefined()
  })
})
