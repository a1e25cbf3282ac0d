import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { files, filesServer, tools } from '../clients/resource-registry.ts'
import { useDatabase } from '../store/database.ts'
import { byRole, type RoleReplica, startRoleReplica, withRoles } from './role-replica.ts'

const shared = useDatabase()
let world: RoleReplica
beforeEach(async () => {
  world = await startRoleReplica(shared)
})
afterEach(() => world.people.close())

describe('claims in access tokens', () => {
  const listing = ['roles', 'groups', 'email']
  const person = {
    ...withRoles('maker', 'user'),
    groups: ['staff', 'admins'],
    attributes: { email: 'ann@example.com', name: 'Ann' },
  }
  async function issue(changes: Parameters<typeof byRole>[0], resources = [tools]) {
    world.registry.put(byRole({ tokenClaims: listing, ...changes }), filesServer())
    await world.registry.refresh()
    const { code, userId } = await world.authorize([], { resources })
    world.people.put(userId, person)
    return { userId, token: await world.replica.redeem(code, { resources }) }
  }
  const expected = { roles: ['maker', 'user'], groups: ['admins', 'staff'], email: 'ann@example.com' }

  test('are those that the resource server lists, and introspection says the same', async () => {
    const { token } = await issue({ scopesByRole: false })
    const claims = world.claimsOf(token)
    expect(claims).toMatchObject({ ...expected, aud: tools, client_id: 'client_a' })
    expect(claims).not.toHaveProperty('name')
    expect((await world.replica.introspect(token.accessToken))?.carried).toEqual(expected)
  })

  test('are renewed by each refresh', async () => {
    const { userId, token } = await issue({})
    world.people.put(userId, { ...person, groups: [] })
    const next = await world.replica.refresh(token.refreshToken)
    expect(world.claimsOf(next)).toMatchObject({ groups: [], roles: ['maker', 'user'] })
    expect((await world.replica.introspect(next.accessToken))?.carried).toMatchObject({ groups: [] })
  })

  test('are none in a token for several resource servers', async () => {
    const { token } = await issue({}, [tools, files])
    expect(Object.keys(world.claimsOf(token)).sort()).toEqual([
      'aud',
      'client_id',
      'exp',
      'iat',
      'iss',
      'jti',
      'scope',
      'sub',
    ])
    expect((await world.replica.introspect(token.accessToken))?.carried).toBeUndefined()
  })

  test('that are not those of the row make a token inactive, as any other claim does', async () => {
    const { token } = await issue({ scopesByRole: false })
    const { signer } = world.replica
    const claims = (await signer.verify(token.accessToken)) ?? expect.unreachable('not signed here')
    const same = await signer.sign(claims)
    const forged = await signer.sign({ ...claims, ...{ roles: ['maker', 'owner', 'user'] } })
    expect(await Promise.all([same, forged].map((accessToken) => world.scopeOf({ accessToken })))).toEqual([
      'read tools:use tools:make tools:break',
      undefined,
    ])
  })
})
