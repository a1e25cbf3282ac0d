import { type ListRequest, listAdministered } from '@gatehouse/kit/administered/list-request'
import { clients } from '@gatehouse/proto/administered/clients'
import { beforeEach, describe, expect, test } from 'vitest'
import { createClientListStore } from '../../src/store/client-list.ts'
import { useReplicas } from '../registry.ts'

const shared = useReplicas()
beforeEach(() => shared.query('truncate clients.clients cascade'))

type Request = Partial<ListRequest>
const list = (changes: Request = {}) =>
  listAdministered(clients, { filters: {}, limit: 50, ...changes }, shared.replica().admin.list)
const namesOf = async (search: string) => (await list({ search })).items.map(({ clientName }) => clientName)

describe('clients for administrators', () => {
  test('are found by any part of the name, newest first, ignoring case and without wildcards', async () => {
    for (const clientName of ['Acme', 'acme 2', '50% off', '50_x', 'Ärger', 'a\\b'])
      await shared.add({ clientName })
    expect(await namesOf('')).toEqual(['a\\b', 'Ärger', '50_x', '50% off', 'acme 2', 'Acme'])
    expect(await namesOf('ACME')).toEqual(['acme 2', 'Acme'])
    expect(await namesOf('50%')).toEqual(['50% off'])
    expect(await namesOf('50_')).toEqual(['50_x'])
    expect(await namesOf('a\\')).toEqual(['a\\b'])
    expect(await namesOf('ärg')).toEqual(['Ärger'])
    expect(await namesOf('cme')).toEqual(['acme 2', 'Acme'])
    expect(await namesOf('0% o')).toEqual(['50% off'])
    expect(await namesOf('0_')).toEqual([])
    expect(await namesOf('me')).toEqual([])
    expect(await namesOf("'; drop table clients.clients; --\0")).toEqual([])
  })

  test('are found by any part of the id', async () => {
    const { clientId } = await shared.add({ clientName: 'One' })
    await shared.add({ clientName: 'Client_side' })
    expect(await namesOf(clientId)).toEqual(['One'])
    expect(await namesOf(clientId.slice(12, 26).toUpperCase())).toEqual(['One'])
    expect(await namesOf('client_')).toEqual(['Client_side', 'One'])
  })

  test('come page by page, each once, also those of the same microsecond', async () => {
    for (let number = 0; number < 7; number += 1) await shared.add({ clientName: `Client ${number}` })
    await shared.query(`update clients.clients set created_at = now() - interval '123456 microseconds'`)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ limit: 3, cursor })
      seen.push(...page.items.map(({ clientName }) => clientName))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6].map((number) => `Client ${number}`))
    await shared.add({ clientName: 'Newer' })
    const last = await list({ limit: 8 })
    expect([last.items.length, last.nextCursor, last.total]).toEqual([8, undefined, 8])
  })

  /** The names of all clients, page by page. */
  async function walk(request: Request) {
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ ...request, limit: 2, cursor })
      names.push(...page.items.map(({ clientName }) => clientName))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return names
  }

  test('are sorted by when they were created or by name, in either direction, page by page', async () => {
    for (const clientName of ['b', 'A', 'c', 'a', 'b']) await shared.add({ clientName })
    expect(await walk({ sort: 'created_at' })).toEqual(['b', 'A', 'c', 'a', 'b'])
    expect(await walk({ sort: '-created_at' })).toEqual(['b', 'a', 'c', 'A', 'b'])
    const byName = (await walk({ sort: 'client_name' })).map((name) => name.toLowerCase())
    expect(byName).toEqual(['a', 'a', 'b', 'b', 'c'])
    expect((await walk({ sort: '-client_name' })).map((name) => name.toLowerCase())).toEqual(byName.reverse())
    await shared.add({ clientName: 'x wxy' })
    await shared.add({ clientName: 'y wxy' })
    await shared.add({ clientName: 'a wxy' })
    expect(await walk({ sort: '-client_name', search: 'wxy' })).toEqual(['y wxy', 'x wxy', 'a wxy'])
  })

  test('are limited to the disabled ones, the first-party ones, those with a grant, and all of this together', async () => {
    await shared.add({ clientName: 'plain', grantTypes: ['client_credentials'] })
    await shared.add({
      clientName: 'own',
      grantTypes: ['client_credentials', 'authorization_code'],
      redirectUris: ['https://app.example/cb'],
    })
    await shared.add({ clientName: 'off', grantTypes: ['client_credentials'] })
    await shared.query(`update clients.clients set first_party = true where client_name = 'own'`)
    await shared.query(`update clients.clients set disabled_at = now() where client_name = 'off'`)
    const sort = 'created_at'
    expect(await walk({ sort, filters: { disabled: 'true' } })).toEqual(['off'])
    expect(await walk({ sort, filters: { disabled: 'false' } })).toEqual(['plain', 'own'])
    expect(await walk({ sort, filters: { first_party: 'true' } })).toEqual(['own'])
    expect(await walk({ sort, filters: { first_party: 'false' } })).toEqual(['plain', 'off'])
    expect(await walk({ sort, filters: { grant_type: 'client_credentials' } })).toEqual([
      'plain',
      'own',
      'off',
    ])
    expect(await walk({ sort, filters: { grant_type: 'authorization_code' } })).toEqual(['own'])
    expect(await walk({ sort, filters: { grant_type: 'authorization_code', first_party: 'false' } })).toEqual(
      [],
    )
    expect(await walk({ sort, search: 'lai', filters: { disabled: 'false' } })).toEqual(['plain'])
    expect(await walk({ sort, search: 'lai', filters: { disabled: 'true' } })).toEqual([])
  })

  test('a cursor holds for the order that it was given for only', async () => {
    for (const clientName of ['a', 'b', 'c']) await shared.add({ clientName })
    const { nextCursor: cursor } = await list({ limit: 1 })
    await expect(list({ cursor, sort: 'client_name' })).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(list({ cursor, sort: 'created_at' })).rejects.toMatchObject({ code: 'invalid_request' })
    expect((await list({ cursor, sort: '-created_at' })).items).toHaveLength(2)
  })

  test.each(['name', '-', '--created_at', 'created_at desc'])(
    'an unknown order is refused: %j',
    async (sort) => {
      await expect(list({ sort })).rejects.toMatchObject({
        code: 'invalid_request',
        description: 'sort must be one of -created_at, created_at, client_name, -client_name.',
      })
    },
  )

  const cursorOf = (...key: unknown[]) => Buffer.from(JSON.stringify(key)).toString('base64url')
  test.each([
    'x',
    cursorOf('a', 'b'),
    cursorOf('-created_at', '0', '-1', 'a'),
    cursorOf('-created_at', '0', '1'),
    cursorOf('-created_at', '2', '1', 'a'),
    cursorOf('-created_at', '1', '1', 'a'),
    cursorOf('-created_at', '0', '9'.repeat(17), 'a'),
    cursorOf('-created_at', '0', '1', 'a\0'),
  ])('an invalid cursor is refused: %j', async (cursor) => {
    await expect(list({ cursor })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test.each([0, 201])('the limit %s is refused', async (limit) => {
    await expect(list({ limit })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

test('reads only a few rows for a page and the total of many clients', { timeout: 180_000 }, async () => {
  await shared.query(
    `insert into clients.clients (client_id, client_name, scope, token_endpoint_auth_method, created_at)
     select 'client_' || gen_random_uuid(), 'App ' || md5(n::text), 'read', 'none', now() - n * interval '1 s'
     from generate_series(0, 119999) n`,
  )
  await shared.query('vacuum analyze clients.clients')
  const { items, total, nextCursor } = await list({ limit: 20 })
  expect([items.length, nextCursor === undefined]).toEqual([20, false])
  expect(Math.abs(total - 120_000)).toBeLessThan(12_000)
  for (const cursor of [undefined, nextCursor]) {
    const [walk = '', ...others] = await plansOf({ cursor, limit: 20 })
    expect(others).toEqual([])
    expect(walk).toContain('clients_created_at_client_id_idx')
    expect(walk).not.toContain('Seq Scan')
  }
  const name = items[0]?.clientName.slice(10, 30) ?? ''
  expect(await namesOf(name)).toHaveLength(1)
  const [walk, find] = await plansOf({ search: name })
  expect(walk).toContain('clients_created_at_client_id_idx')
  expect(find).toContain('clients_lower_client_name_trigram_idx')
  expect(find).toContain('clients_lower_client_id_trigram_idx')
  expect(find).not.toContain('Seq Scan on')
})

/** PostgreSQL's plan for each statement of a list. */
async function plansOf(request: Request): Promise<string[]> {
  const { pool, prisma } = shared.replica().database
  const plans: string[] = []
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await pool.query(`explain ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return pool.query(text, values)
  }
  const store = createClientListStore({ pool: { query } as never, prisma })
  const counted = { ...store, total: async () => 0 }
  await listAdministered(clients, { filters: {}, limit: 50, ...request }, counted)
  return plans
}
