import { authorityOfRoles, authorityOfUser } from '@gatehouse/proto/authority'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { files, filesServer, tools } from '../clients/resource-registry.ts'
import { useDatabase } from '../store/database.ts'
import { byRole, type RoleReplica, scope, startRoleReplica, withRoles } from './role-replica.ts'

const shared = useDatabase()
let world: RoleReplica
beforeEach(async () => {
  await shared.query('truncate token.authority_changes')
  world = await startRoleReplica(shared)
})
afterEach(() => world.people.close())

const invalidGrant = { code: 'invalid_grant' }

describe('a code', () => {
  test('gives the scopes that the roles of its user give', async () => {
    const { code } = await world.authorize(['user'])
    const token = await world.replica.redeem(code)
    expect(token.scope).toBe('read tools:use')
    expect(world.claimsOf(token)).toMatchObject({ scope: 'read tools:use', aud: tools })
    expect(await world.scopeOf(token)).toBe('read tools:use')
  })

  test('is refused with invalid_grant when nothing of the resource server is left, and can be used once a role is given', async () => {
    const { code, userId } = await world.authorize(['maker'])
    world.people.take(userId, withRoles())
    await expect(world.replica.redeem(code)).rejects.toMatchObject(invalidGrant)
    world.people.put(userId, withRoles('user'))
    expect((await world.replica.redeem(code)).scope).toBe('read tools:use')
  })

  test('that was used before still ends its grant, although roles give nothing any more', async () => {
    const { code, userId } = await world.authorize(['maker'])
    const token = await world.replica.redeem(code)
    world.people.take(userId, withRoles())
    await expect(world.replica.redeem(code)).rejects.toMatchObject(invalidGrant)
    expect(await world.scopeOf(token)).toBeUndefined()
  })

  test('of a user who was disabled is refused with invalid_grant', async () => {
    const { code, userId } = await world.authorize(['maker'])
    world.people.disable(userId)
    await expect(world.replica.redeem(code)).rejects.toMatchObject(invalidGrant)
  })

  test('stays usable while the identity service is away: temporarily_unavailable', async () => {
    const { code } = await world.authorize(['maker'])
    await world.people.goAway()
    await expect(world.replica.redeem(code)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
    expect(await shared.query('select from token.authorization_codes where redeemed_at is null')).not.toEqual(
      [],
    )
  })

  test('of another client costs no question to the identity service', async () => {
    const { code } = await world.authorize(['maker'])
    // One code in sixteen ends with any given character that codes end with.
    const other = `${code.startsWith('a') ? 'b' : 'a'}${code.slice(1)}`
    await expect(world.replica.redeem(other, { resources: [tools] })).rejects.toMatchObject(invalidGrant)
    expect(world.people.calls).toEqual([])
  })
})

describe('a refresh', () => {
  async function begin(...roles: string[]) {
    const { code, userId } = await world.authorize(roles)
    return { userId, token: await world.replica.redeem(code) }
  }

  test('is judged anew: a role that is given counts, and one that is taken does not', async () => {
    const { userId, token } = await begin('user')
    world.people.put(userId, withRoles('maker'))
    const more = await world.replica.refresh(token.refreshToken)
    expect(more.scope).toBe('read tools:use tools:make')
    world.people.take(userId, withRoles('user'))
    const less = await world.replica.refresh(more.refreshToken)
    expect(less.scope).toBe('read tools:use')
  })

  test('keeps the whole scope in the grant, whatever its access tokens have', async () => {
    const { userId, token } = await begin('user')
    const stored = () =>
      shared.query('select distinct scope from token.refresh_tokens where user_id = $1', [userId])
    await world.replica.refresh(token.refreshToken)
    expect(await stored()).toEqual([{ scope: 'read tools:use tools:make tools:break' }])
  })

  test('for part of the scope gets what roles give of that part', async () => {
    const { token } = await begin('user')
    const part = { scope: 'tools:use tools:make', resources: [tools] }
    const answered = await world.replica.refresh(token.refreshToken, part)
    expect(answered.scope).toBe('tools:use')
    const nothing = { scope: 'tools:make', resources: [tools] }
    await expect(world.replica.refresh(answered.refreshToken, nothing)).rejects.toMatchObject(invalidGrant)
  })

  test('for more than the grant has is refused as ever, and asks nobody', async () => {
    const { token } = await begin('maker')
    world.people.calls.length = 0
    const more = { scope: 'tools:use admin', resources: [tools] }
    await expect(world.replica.refresh(token.refreshToken, more)).rejects.toMatchObject({
      code: 'invalid_scope',
    })
    expect(world.people.calls).toEqual([])
  })

  test('with nothing left is refused with invalid_grant, and goes on once there is a role again', async () => {
    const { userId, token } = await begin('maker')
    world.people.take(userId, withRoles())
    await expect(world.replica.refresh(token.refreshToken)).rejects.toMatchObject(invalidGrant)
    world.people.put(userId, withRoles('maker'))
    expect((await world.replica.refresh(token.refreshToken)).scope).toBe('read tools:use tools:make')
  })

  test('with a token that was used before still ends the grant', async () => {
    const { userId, token } = await begin('maker')
    const next = await world.replica.refresh(token.refreshToken)
    await world.replica.refresh(next.refreshToken)
    world.people.take(userId, withRoles())
    await expect(world.replica.refresh(token.refreshToken)).rejects.toMatchObject(invalidGrant)
    world.people.put(userId, withRoles('maker'))
    await expect(world.replica.refresh(next.refreshToken)).rejects.toMatchObject(invalidGrant)
  })
})

describe('a role that is taken', () => {
  test('from a user ends their tokens at once, and the next refresh goes on with what is left', async () => {
    const { code, userId } = await world.authorize(['maker'])
    const token = await world.replica.redeem(code)
    const revision = world.people.take(userId, withRoles('user'))
    expect(await world.scopeOf(token)).toBe('read tools:use tools:make')
    await world.changes.apply({ key: authorityOfUser(userId), revision })
    expect(await world.scopeOf(token)).toBeUndefined()
    const next = await world.replica.refresh(token.refreshToken)
    expect([next.scope, await world.scopeOf(next)]).toEqual(['read tools:use', 'read tools:use'])
  })

  test('while a token is judged by it ends that token: it was stored after the change', async () => {
    const { code, userId } = await world.authorize(['maker'])
    // The change is stored before the token is, which was judged by the revision before it.
    await world.changes.apply({ key: authorityOfUser(userId), revision: 2n })
    const token = await world.replica.redeem(code)
    expect(await world.scopeOf(token)).toBeUndefined()
  })

  test('from the resource server, or a scope from it, ends the tokens of all who had it', async () => {
    const { code } = await world.authorize(['maker'])
    const ofUser = await world.replica.redeem(code)
    const ofClient = await world.replica.work('client_maker', '', [tools])
    const roles = new Map([['maker', ['tools:use']]])
    world.registry.put(byRole({ roles, revision: 6n }), filesServer())
    await world.changes.apply({ key: authorityOfRoles(tools), revision: 6n })
    expect(await Promise.all([ofUser, ofClient].map(world.scopeOf))).toEqual([undefined, undefined])
    // This replica has not read the resource server again: what it issues now is inactive, too.
    expect(await world.scopeOf(await world.replica.work('client_maker', '', [tools]))).toBeUndefined()
    await world.registry.refresh()
    const next = await world.replica.refresh(ofUser.refreshToken)
    expect([next.scope, await world.scopeOf(next)]).toEqual(['read tools:use', 'read tools:use'])
  })
})

describe('client_credentials', () => {
  test('gives the scopes that the roles of the client itself give, and asks nobody', async () => {
    const token = await world.replica.work('client_maker', '', [tools])
    expect(token.scope).toBe('read tools:use tools:make')
    expect(world.people.calls).toEqual([])
  })

  test.each([[''], ['tools:use'], ['read tools:use']])(
    'is refused with invalid_scope when nothing is left of "%s"',
    async (wanted) => {
      await expect(world.replica.work('client_machine', wanted, [tools])).rejects.toMatchObject({
        code: 'invalid_scope',
        description: 'The client has no role that gives this scope.',
      })
    },
  )

  test('for another resource server is what it was', async () => {
    expect((await world.replica.work('client_machine', '', [files])).scope).toBe('read files:read')
  })
})

test('the password grant gives what roles give, keeps the whole scope, and is refused with invalid_scope without any', async () => {
  world.people.put('user-1', withRoles('user'))
  const token = await world.replica.logIn('', [tools])
  expect([token.scope, await world.scopeOf(token)]).toEqual(['read tools:use', 'read tools:use'])
  world.people.put('user-1', withRoles('maker'))
  const next = await world.replica.refresh(token.refreshToken)
  expect(next.scope).toBe('read tools:use tools:make')
  world.people.put('user-1', withRoles())
  await expect(world.replica.logIn('', [tools])).rejects.toMatchObject({ code: 'invalid_scope' })
})

describe('a resource server that begins to give its scopes by roles', () => {
  test('takes no token that was issued before, by whichever replica or release', async () => {
    world.registry.put(byRole({ scopesByRole: false }), filesServer())
    await world.registry.refresh()
    const [before, other] = [
      await world.replica.work('client_maker', '', [tools]),
      await world.replica.work('client_maker', '', [files]),
    ]
    expect(await world.scopeOf(before)).toBe('read tools:use tools:make tools:break')
    world.registry.put(byRole({ revision: 6n }), filesServer())
    await world.registry.refresh()
    expect(await Promise.all([before, other].map(world.scopeOf))).toEqual([undefined, 'read files:read'])
  })
})

describe('where roles and groups do not concern a token', () => {
  test('no statement is added and nobody is asked, at each grant and at introspection', async () => {
    const resources = [files]
    const { code } = await world.authorize([], { resources, wanted: 'read files:read' })
    let [token, own] = [{ accessToken: '', refreshToken: '' as string | undefined }, { accessToken: '' }]
    const statements = await world.statementsOf(async () => {
      token = { refreshToken: undefined, ...(await world.replica.redeem(code, { resources })) }
      token = { refreshToken: undefined, ...(await world.replica.refresh(token.refreshToken, { resources })) }
      own = await world.replica.work('client_machine', 'files:read', resources)
      await world.replica.introspect(token.accessToken)
      await world.replica.introspect(own.accessToken)
    })
    expect(statements).toEqual([
      'redeem_authorization_codes',
      'rotate_refresh_tokens',
      'insert_access_tokens',
      'find_live_access_tokens',
      'find_live_access_tokens',
    ])
    expect([...world.people.calls, ...world.people.profiles]).toEqual([])
  })

  test('their rows have nothing of it', async () => {
    await world.replica.work('client_machine', '', [files])
    await world.replica.work('client_machine')
    expect(
      await shared.query(
        `select 1 from token.access_tokens where client_id = 'client_machine'
         and (carried is not null or authority_revision is not null or roles_revision is not null)`,
      ),
    ).toEqual([])
  })
})

test('where they do, a grant of a user costs one statement and one call more, and one of a client nothing', async () => {
  const { code } = await world.authorize(['maker'])
  const resources = [tools]
  const redeeming = await world.statementsOf(() => world.replica.redeem(code, { resources }))
  expect(redeeming).toEqual(['find_grant_of_code', 'redeem_authorization_codes'])
  const working = await world.statementsOf(() => world.replica.work('client_maker', '', resources))
  expect(working).toEqual(['insert_access_tokens_by_role'])
  expect(world.people.calls).toHaveLength(1)
})

test('questions of the same moment share a call', async () => {
  const userIds = ['a', 'b', 'c']
  for (const userId of userIds) world.people.put(userId, withRoles(userId === 'b' ? 'maker' : 'user'))
  const judged = await Promise.all(
    [...userIds, 'nobody'].map((userId) =>
      world.authority.judge({ client: { metadata: {} }, userId }, { servers: [byRole()] }, scope),
    ),
  )
  expect(judged.map((one) => one?.scope)).toEqual([
    'read tools:use files:read',
    'read tools:use tools:make files:read',
    'read tools:use files:read',
    undefined,
  ])
  expect(world.people.calls.map((questions) => questions.length)).toEqual([4])
})

test('the scope of a client is not widened by roles', async () => {
  expect(scope).not.toContain('admin')
  world.registry.put(byRole({ roles: new Map([['maker', ['tools:use', 'admin']]]) }), filesServer())
  await world.registry.refresh()
  expect((await world.replica.work('client_maker', 'tools:use', [tools])).scope).toBe('tools:use')
})
