import { randomUUID } from 'node:crypto'
import { credentialsOf, issueToken } from '@gatehouse/test/oauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdminWorld, startAdminWorld } from '../administration/admin-world.ts'

// RFC 9700 section 4.15: a client whose id is a user's gets tokens whose `sub` is that user.
describe('a client and a user', () => {
  let world: AdminWorld
  beforeAll(async () => {
    world = await startAdminWorld()
  }, 60_000)
  afterAll(() => world?.stop())

  const machine = (client_id: string) => ({
    ...{ client_id, client_name: 'x', grant_types: ['client_credentials'], scope: 'read write' },
  })
  const person = (username: string) => ({ username, password: 'a long new password' })

  test('cannot have one id: no client gets the id or the name of a user', async () => {
    const { user_id, username } = await world.addUser()
    const ids = [
      user_id,
      user_id.toUpperCase(),
      user_id.replaceAll('-', ''),
      username,
      username.toUpperCase(),
    ]
    for (const id of ids) {
      const { status, body } = await world.api(world.root, 'POST', '/admin/api/clients', machine(id))
      expect([status, body.error_description]).toEqual([
        400,
        'client_id is the id or the name of a user: choose another one.',
      ])
    }
    const { body } = await world.api<{ results: { outcome: string; client_id: string }[] }>(
      world.root,
      'POST',
      '/admin/api/clients/import',
      { clients: [machine(user_id), machine(randomUUID())] },
    )
    expect(body.results.map(({ outcome }) => outcome)).toEqual(['invalid', 'created'])
  })

  test('cannot have one id: no user gets the id of a client as name or id', async () => {
    const id = randomUUID()
    const client = await world.done<{ client_id: string; client_secret: string }>(
      'POST',
      '/admin/api/clients',
      machine(id),
    )
    expect((await world.api(world.root, 'POST', '/admin/api/users', person(id.toUpperCase()))).status).toBe(
      400,
    )
    const { body } = await world.api<{ results: { outcome: string }[] }>(
      world.root,
      'POST',
      '/admin/api/users/import',
      { users: [{ username: `user-${id}`, user_id: id }, { username: id }] },
    )
    expect(body.results.map(({ outcome }) => outcome)).toEqual(['invalid', 'invalid'])
    // A UUID that no user has stays good, and its tokens are the client's.
    const token = await issueToken(world.system, client)
    const introspection = await world.system.form('/oauth/introspect', { token, ...credentialsOf(client) })
    const answer = (await introspection.json()) as Record<string, unknown>
    expect([answer.sub, answer.username, answer.client_id]).toEqual([id, id, id])
  })

  test('who are created at once with one name do not both exist', async () => {
    for (let round = 0; round < 10; round += 1) {
      const name = `one-name-${randomUUID()}`
      const answers = await Promise.all([
        world.api(world.root, 'POST', '/admin/api/clients', machine(name)),
        world.api(world.root, 'POST', '/admin/api/users', person(name)),
      ])
      const created = answers.filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status === 400)
      expect([created.length <= 1, created.length + refused.length]).toEqual([true, 2])
    }
  })
})
