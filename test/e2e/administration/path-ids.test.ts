import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { credentialsOf } from '@gatehouse/test/oauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdminWorld, startAdminWorld } from './admin-world.ts'

type Operations = Record<string, { parameters?: { name: string; in: string; required?: boolean }[] }>

// An id in another spelling must not be answered with success while nothing happens.
describe('the ids in the addresses of the administration', { timeout: 60_000 }, () => {
  let world: AdminWorld
  const routes: { method: string; path: string; names: string[] }[] = []
  beforeAll(async () => {
    world = await startAdminWorld()
    const file = new URL('../../../docs/reference/openapi.json', import.meta.url)
    const document = JSON.parse(await readFile(file, 'utf8')) as { paths: Record<string, Operations> }
    for (const [path, operations] of Object.entries(document.paths))
      for (const method of Object.keys(operations)) {
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
        // The numbers of a client that was deleted stay, so those of an unknown one are none.
        if (path.startsWith('/admin/api/') && names.length > 0 && !path.endsWith('/usage'))
          routes.push({ method, path, names })
      }
  }, 60_000)
  afterAll(() => world?.stop())

  const addressOf = (path: string, ids: Record<string, string>) =>
    path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? randomUUID()))
  const bodyFor = (method: string) => (['post', 'patch', 'put'].includes(method) ? {} : undefined)

  const spellings: [string, (id: string) => string][] = [
    ['in braces', (id) => `{${id}}`],
    ['with a blank behind it', (id) => `${id} `],
    ['with a blank before it', (id) => ` ${id}`],
    ['without hyphens', (id) => id.replaceAll('-', '')],
    ['as a URN', (id) => `urn:uuid:${id}`],
    ['with a NUL', (id) => `${id}\0`],
    ['that is none', () => 'nobody'],
    ['that is huge', () => 'x'.repeat(2_000)],
  ]

  test.each(spellings)('%s name nothing, at any route', async (_, respell) => {
    const { user_id } = await world.addUser()
    expect(routes.length).toBeGreaterThan(20)
    for (const { method, path, names } of routes)
      for (const name of names) {
        const address = addressOf(path, {
          user_id,
          [name]: respell(name === 'user_id' ? user_id : randomUUID()),
        })
        const { status } = await world.api(world.root, method.toUpperCase(), address, bodyFor(method))
        expect([400, 404, 414], `${method} ${address} was answered ${status}`).toContain(status)
      }
  })

  test('in upper case name the same user', async () => {
    const user = await world.addUser()
    const token = await world.tokenOf(user)
    const { body } = await world.api(world.root, 'GET', `/admin/api/users/${user.user_id.toUpperCase()}`)
    expect(body.user_id).toBe(user.user_id)
    const path = `/admin/api/users/${user.user_id.toUpperCase()}/tokens`
    expect((await world.api(world.root, 'DELETE', path)).status).toBe(204)
    const answer = await world.system.form('/oauth/introspect', { token, ...credentialsOf(world.operator) })
    expect(await answer.json()).toEqual({ active: false })
  })

  test('of a client are compared as they are, and nobody is told that tokens of an unknown one are revoked', async () => {
    const id = world.operator.client_id
    for (const other of [id.toUpperCase(), `${id} `, 'nobody'])
      expect(
        (await world.api(world.root, 'DELETE', `/admin/api/clients/${encodeURIComponent(other)}/tokens`))
          .status,
      ).toBe(404)
    expect((await world.api(world.root, 'DELETE', `/admin/api/users/${randomUUID()}/tokens`)).status).toBe(
      404,
    )
  })
})
