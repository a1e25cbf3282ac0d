import { randomUUID } from 'node:crypto'
import { encode, makeKey, signJwt } from '@gatehouse/test/servers/social-openid'
import { describe, expect, test } from 'vitest'
import { digestsOf } from '../../src/basics/secret.ts'
import {
  deleteConnection,
  type NewConnection,
  updateConnection,
} from '../../src/connections/connection-change.ts'
import { endUpstream } from '../../src/connections/upstream-logout.ts'
import { addOrganization, removeMembers, setDisabled } from '../organizations/organizations.ts'
import { actor } from '../store/replica.ts'
import { resourceServer, useConnections } from './connections.ts'

const { shared, standIn, deps, add, loginDeps, begin, comeBack, finish, run, lines, counts } =
  useConnections()

/** An organization that has proven a domain. */
async function organizationWith(members: Record<string, 'owner' | 'admin' | 'member'> = {}) {
  const { organizationId } = await addOrganization(shared.replica(), members)
  const domain = `d-${randomUUID()}.example.com`
  await shared.query(
    `insert into identity.organization_domains (organization_id, domain, challenge, proven_at) values ($1, $2, 'x', now())`,
    [organizationId, domain],
  )
  return { organizationId, domain }
}
const ofOrganization = async (changes: Partial<NewConnection> = {}) => {
  const organization = await organizationWith()
  return { ...(await add({ organizationId: organization.organizationId, ...changes })), ...organization }
}
/** Lets somebody else be at the provider. */
const arrives = (claims: Record<string, unknown> = {}) => {
  const sub = `person-${randomUUID()}`
  standIn().person = { sub, name: 'Ann Example', ...claims }
  return sub
}
const withAddress = (domain: string, changes = {}) =>
  arrives({ email: `ann-${randomUUID()}@${domain}`, email_verified: true, ...changes })
const session = async (secret: string) => shared.replica().sessions.findAny(digestsOf(secret), undefined)
const right = (outcome: Awaited<ReturnType<typeof run>>) => {
  if (outcome.outcome !== 'right') throw new Error(`the login was ${outcome.outcome}`)
  return outcome
}
const linksOf = (connectionId: string) =>
  shared.query('select * from identity.connection_links where connection_id = $1', [connectionId])

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

  test('ends with the connection', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    const { session: begun } = right(await run(connectionId))
    await deleteConnection({ connectionId }, actor, deps())
    expect(await session(begun.secret)).toBeUndefined()
  })
})

describe('an answer', () => {
  const tampered = (change: (claims: Record<string, unknown>) => object) => async () => {
    standIn().tamper = (claims) => ({ ...claims, ...change(claims) })
  }
  const forged = (forge: (claims: Record<string, unknown>) => string) => async () => {
    standIn().forge = forge
  }
  test.each<[string, () => Promise<void>]>([
    ['with another issuer', tampered(() => ({ iss: 'https://other.example' }))],
    ['for another client', tampered(() => ({ aud: 'somebody else' }))],
    ['with another nonce', tampered(() => ({ nonce: 'another' }))],
    ['that has expired', tampered(() => ({ exp: 1_000_000_000 }))],
    ['with another signature', forged((claims) => signJwt(claims, makeKey('first')))],
    ['without a signature', forged((claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`)],
    ['about somebody else than userinfo', tampered(() => ({ sub: 'somebody else' }))],
    ['without a subject', tampered(() => ({ sub: '' }))],
  ])('%s is refused', async (_, spoil) => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    await spoil()
    expect(await run(connectionId)).toMatchObject({ outcome: 'bad answer', returnTo: '/account' })
    expect(await linksOf(connectionId)).toEqual([])
    expect(JSON.stringify(lines)).not.toContain('the secret of gatehouse')
  })

  test('is refused without iss, with another iss, when it is replayed, and in another browser', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const back = async () => {
      const begun = await begin(connectionId)
      return { begun, query: new URLSearchParams(await comeBack(begun)) }
    }
    const without = await back()
    without.query.delete('iss')
    expect(await finish(without.begun, String(without.query))).toMatchObject({ outcome: 'bad answer' })
    const other = await back()
    other.query.set('iss', 'https://other.example')
    expect(await finish(other.begun, String(other.query))).toMatchObject({ outcome: 'bad answer' })
    const fine = await back()
    const elsewhere = { browserSecrets: [randomUUID()] }
    expect(await finish(fine.begun, String(fine.query), elsewhere)).toMatchObject({
      outcome: 'unknown login',
    })
    expect(await finish(fine.begun, String(fine.query))).toMatchObject({ outcome: 'right' })
    expect(await finish(fine.begun, String(fine.query))).toMatchObject({ outcome: 'unknown login' })
  })

  test('is refused at the callback of another connection', async () => {
    const [one, two] = [await add({ newUsers: 'always' }), await add({ newUsers: 'always' })]
    arrives()
    standIn().register(`https://auth.example/auth/callback/${one.connectionId}`)
    const begun = await begin(one.connectionId)
    const query = await comeBack(begun)
    expect(await finish(begun, query, { connectionId: two.connectionId })).toMatchObject({
      outcome: 'unknown login',
    })
    expect(await finish(begun, query)).toMatchObject({ outcome: 'unknown login' })
  })

  test('is denied where the person cancels', async () => {
    const { connectionId } = await add()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const begun = await begin(connectionId)
    expect(await finish(begun, await comeBack(begun, 'deny'))).toMatchObject({ outcome: 'denied' })
  })

  test('must have an acr that was asked for, and a time of the login where one was', async () => {
    const { connectionId } = await add({ newUsers: 'always', acrValues: 'high' })
    arrives()
    expect(await run(connectionId)).toMatchObject({ outcome: 'bad answer' })
    await tampered(() => ({ acr: 'high' }))()
    expect(await run(connectionId)).toMatchObject({ outcome: 'right' })
    await tampered(() => ({ acr: 'high', auth_time: undefined }))()
    expect(await run(connectionId, { begin: { again: true } })).toMatchObject({ outcome: 'bad answer' })
    const long = Math.floor(Date.now() / 1000) - 1_000
    await tampered(() => ({ acr: 'high', auth_time: long }))()
    expect(await run(connectionId, { begin: { maxAge: 600 } })).toMatchObject({ outcome: 'bad answer' })
    expect(await run(connectionId, { begin: { maxAge: 2_000 } })).toMatchObject({ outcome: 'right' })
  })
})

describe('a login by a connection of an organization', () => {
  test('creates a member with an address in a domain that it has proven', async () => {
    const { connectionId, organizationId, domain } = await ofOrganization()
    withAddress(domain)
    const first = right(await run(connectionId))
    expect(first).toMatchObject({ created: true, organizationId, organizationSlug: expect.any(String) })
    const found = await session(first.session.secret)
    expect(found).toMatchObject({
      organizationsOnly: true,
      organizationLogins: [{ connectionId, organizationId }],
    })
    expect(
      await shared.replica().sessions.find(digestsOf(first.session.secret).secretDigest, undefined),
    ).toBeUndefined()
    const [user] = await shared.query('select address_vouched_by from identity.users where id = $1', [
      first.session.session.user.id,
    ])
    expect(user).toEqual({ address_vouched_by: organizationId })
  })

  test.each<[string, (domain: string) => unknown]>([
    ['a foreign domain', () => withAddress('foreign.example.com')],
    ['a domain below it', (domain) => withAddress(`sub.${domain}`)],
    ['an unverified address', (domain) => withAddress(domain, { email_verified: false })],
    ['no address', () => arrives()],
  ])('creates nobody with %s', async (_, come) => {
    const { connectionId, domain } = await ofOrganization()
    come(domain)
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
  })

  test('creates nobody by a domain that is lost, and knows the others still', async () => {
    const { connectionId, organizationId, domain } = await ofOrganization()
    withAddress(domain)
    right(await run(connectionId))
    await shared.query(
      'update identity.organization_domains set lost_at = now() where organization_id = $1',
      [organizationId],
    )
    expect(await run(connectionId)).toMatchObject({ outcome: 'right', created: false })
    withAddress(domain)
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
  })

  test('lets in nobody who was removed, or where the organization is disabled', async () => {
    const { connectionId, organizationId, domain } = await ofOrganization()
    withAddress(domain)
    const { session: begun } = right(await run(connectionId))
    await removeMembers(shared.replica(), organizationId, [begun.session.user.id])
    expect(await run(connectionId)).toMatchObject({ outcome: 'no member' })
    await setDisabled(shared.replica(), organizationId, true)
    await expect(begin(connectionId)).rejects.toThrow('no connection')
  })

  test('gives groups, roles and attributes of the mapping, and takes what it gave', async () => {
    const { organizationId, domain } = await organizationWith()
    const groupId = randomUUID()
    await shared.query(
      'insert into identity.groups (group_id, name, description, organization_id) values ($1, $2, $3, $4)',
      [groupId, 'Staff', '', organizationId],
    )
    const role = { ...resourceServer, resource: '', role: 'reader' }
    const { connectionId } = await add({
      organizationId,
      mapping: [
        { claim: 'preferred_username', attribute: 'login' },
        { claim: 'locale', value: 'de', group: 'staff' },
        { claim: 'locale', value: 'de', group: 'No such group' },
        { claim: 'locale', value: 'de', role },
      ],
    })
    const sub = withAddress(domain, { locale: 'de', preferred_username: 'ann' })
    const { user } = right(await run(connectionId)).session.session
    const has = async () => {
      const groups = await shared.query('select group_id from identity.group_members where user_id = $1', [
        user.id,
      ])
      const roles = await shared.query('select role from identity.role_assignments where user_id = $1', [
        user.id,
      ])
      const [member] = await shared.query(
        'select role, attributes from identity.organization_members where user_id = $1',
        [user.id],
      )
      return { groups: groups.length, roles: roles.map((each) => each.role), member }
    }
    expect(await has()).toEqual({
      groups: 1,
      roles: ['reader'],
      member: { role: 'member', attributes: { login: 'ann' } },
    })
    const { email, email_verified } = standIn().person as Record<string, unknown>
    standIn().person = { sub, name: 'Ann Example', email, email_verified, locale: 'fr' }
    const before = shared.replica().revoked.length
    right(await run(connectionId))
    expect(await has()).toEqual({ groups: 0, roles: [], member: { role: 'member', attributes: {} } })
    expect(shared.replica().revoked.slice(before)).toContainEqual(
      expect.objectContaining({ kind: 'authority' }),
    )
    expect(await shared.auditOf(user.id)).toMatchObject([
      { action: 'connection.map', after: { groups: ['Staff'], roles: [{ role: 'reader' }] } },
      { action: 'connection.map', before: { groups: ['Staff'], roles: [{ role: 'reader' }] } },
    ])
  })
})

describe('a link', () => {
  test('is made by the user of a session with a recent login, and leads to them alone', async () => {
    const { connectionId } = await add()
    arrives()
    const user = await shared.addUser()
    const { secret } = await shared.browserOf(user.username)
    const link = (sessionSecret: string) =>
      run(connectionId, {
        begin: { purpose: 'link', sessionSecret },
        finish: { previousSecret: sessionSecret },
      })
    expect(await link(secret)).toMatchObject({ outcome: 'linked', displayName: 'Ann Example' })
    expect(right(await run(connectionId)).session.session.user.id).toBe(user.id)
    const other = await shared.browserOf((await shared.addUser()).username)
    expect(await link(other.secret)).toMatchObject({ outcome: 'linked to other' })
    await shared.query(
      "update identity.sessions set authenticated_at = now() - interval '6 minutes' where id = $1",
      [other.id],
    )
    await expect(link(other.secret)).rejects.toThrow('session')
  })

  test('to a connection of an organization is for members, and for those whom it would create', async () => {
    const { connectionId, domain } = await ofOrganization()
    const user = await shared.addUser()
    const { secret } = await shared.browserOf(user.username)
    const link = () =>
      run(connectionId, {
        begin: { purpose: 'link', sessionSecret: secret },
        finish: { previousSecret: secret },
      })
    withAddress('foreign.example.com')
    expect(await link()).toMatchObject({ outcome: 'no member' })
    withAddress(domain)
    expect(await link()).toMatchObject({ outcome: 'linked' })
    expect(await run(connectionId)).toMatchObject({ outcome: 'right', created: false })
  })

  test('is not made in another session than that which began it', async () => {
    const { connectionId } = await add()
    arrives()
    const [one, two] = [await shared.addUser(), await shared.addUser()]
    const [mine, theirs] = [await shared.browserOf(one.username), await shared.browserOf(two.username)]
    const which = { begin: { purpose: 'link' as const, sessionSecret: mine.secret } }
    const foreign = { ...which, finish: { previousSecret: theirs.secret } }
    expect(await run(connectionId, foreign)).toMatchObject({ outcome: 'session' })
    expect(await linksOf(connectionId)).toEqual([])
  })
})

describe('a try', () => {
  test('says what a login would give, and stores nothing', async () => {
    const administrator = await shared.addUser({ adminRole: 'owner' })
    const { secret } = await shared.browserOf(administrator.username)
    const { connectionId } = await add({
      newUsers: 'always',
      disabled: true,
      mapping: [
        { claim: 'locale', value: 'de', group: 'none' },
        { claim: 'groups', value: 'x', group: 'none' },
      ],
    })
    const sub = arrives({ locale: 'de' })
    const tried = await run(connectionId, {
      begin: { purpose: 'test', sessionSecret: secret },
      finish: { previousSecret: secret },
    })
    expect(tried).toMatchObject({
      outcome: 'test',
      test: {
        claims: { sub },
        problem: 'no connection',
        wouldCreate: true,
        remarks: ['The claim groups is missing.', 'There is no group none that people may fill.'],
      },
    })
    expect(await linksOf(connectionId)).toEqual([])
    const member = await shared.browserOf((await shared.addUser()).username)
    await expect(begin(connectionId, { purpose: 'test', sessionSecret: member.secret })).rejects.toThrow(
      'session',
    )
  })
})

describe('a logout at the provider', () => {
  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const claims = (changes: object = {}) => {
    const now = Math.floor(Date.now() / 1000)
    return {
      iss: standIn().issuer,
      aud: 'gatehouse',
      iat: now,
      exp: now + 60,
      jti: randomUUID(),
      events: event,
      ...changes,
    }
  }
  const end = (connectionId: string, token: string, of = loginDeps()) =>
    endUpstream({ connectionId, logoutToken: token }, of)

  test('ends the logins of the person', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const sub = arrives()
    const { session: begun } = right(await run(connectionId))
    expect(await end(connectionId, signJwt(claims({ sub: 'another' }), standIn().signer))).toBe(true)
    expect(await session(begun.secret)).toBeDefined()
    expect(await end(connectionId, signJwt(claims({ sub }), standIn().signer))).toBe(true)
    expect(await session(begun.secret)).toBeUndefined()
  })

  test.each<[string, () => string]>([
    [
      'of another issuer',
      () => signJwt(claims({ sub: 'a', iss: 'https://other.example' }), standIn().signer),
    ],
    ['for another client', () => signJwt(claims({ sub: 'a', aud: 'another' }), standIn().signer)],
    ['with a nonce', () => signJwt(claims({ sub: 'a', nonce: 'n' }), standIn().signer)],
    ['without the event', () => signJwt(claims({ sub: 'a', events: {} }), standIn().signer)],
    ['about nobody', () => signJwt(claims(), standIn().signer)],
    ['that has expired', () => signJwt(claims({ sub: 'a', exp: 1_000_000_000 }), standIn().signer)],
    ['from the future', () => signJwt(claims({ sub: 'a', iat: 4_000_000_000 }), standIn().signer)],
    ['with another key', () => signJwt(claims({ sub: 'a' }), makeKey('first'))],
    ['without a signature', () => `${encode({ alg: 'none' })}.${encode(claims({ sub: 'a' }))}.`],
    ['that is no token', () => 'abc'],
  ])('is refused by a token %s', async (_, token) => {
    const { connectionId } = await add()
    expect(await end(connectionId, token())).toBe(false)
  })
})
