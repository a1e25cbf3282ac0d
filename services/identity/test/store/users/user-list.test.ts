import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createUserListStore } from '../../../src/store/users/user-list.ts'
import { listUsers } from '../../../src/users/user-list.ts'
import { useReplicas } from '../replica.ts'

const shared = useReplicas()
beforeEach(() => shared.query('truncate identity.users cascade'))

type Request = Partial<Parameters<typeof listUsers>[0]>
const list = (changes: Request = {}) =>
  listUsers({ filters: {}, limit: 50, ...changes }, shared.replica().admin.list)
const namesOf = async (search: string) => (await list({ search })).items.map(({ username }) => username)

/** Lists all users page by page, and counts the pages. */
async function walk(search: string, limit: number) {
  const names: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await list({ search, cursor, limit })
    names.push(...page.items.map(({ username }) => username))
    cursor = page.nextCursor
    pages += 1
  } while (cursor !== undefined)
  return { names, pages }
}

describe('users for administrators', () => {
  test('are found by any part of the name, ignoring case, and without wildcards', async () => {
    for (const username of ['Ann', 'anna', 'a%x', 'a_x', 'a\\x', 'bob', 'Ärger', '东京'])
      await shared.addUser({ username })
    expect(await namesOf('')).toEqual(['a%x', 'a\\x', 'a_x', 'Ann', 'anna', 'bob', 'Ärger', '东京'])
    expect(await namesOf('AN')).toEqual(['Ann', 'anna'])
    expect(await namesOf('a%')).toEqual(['a%x'])
    expect(await namesOf('a_')).toEqual(['a_x'])
    expect(await namesOf('a\\')).toEqual(['a\\x'])
    expect(await namesOf('ä')).toEqual(['Ärger'])
    expect(await namesOf(' bob ')).toEqual(['bob'])
    expect(await namesOf('nn')).toEqual([])
    expect(await namesOf('NNA')).toEqual(['anna'])
    expect(await namesOf('rge')).toEqual(['Ärger'])
    expect(await namesOf('_x ')).toEqual([])
    for (const username of ['joanna', 'annabel', 'zanna']) await shared.addUser({ username })
    expect(await walk('anna', 1)).toEqual({ names: ['anna', 'annabel', 'joanna', 'zanna'], pages: 4 })
    expect(await walk('anna', 2)).toEqual({ names: ['anna', 'annabel', 'joanna', 'zanna'], pages: 2 })
    expect(await walk('anna', 3)).toEqual({ names: ['anna', 'annabel', 'joanna', 'zanna'], pages: 2 })
    expect(await namesOf("'; drop table identity.users; --\0\ud800")).toEqual([])
  })

  test('are found by any part of the e-mail address, after those whose name begins with the text', async () => {
    const people = { zed: 'Ann@Example.com', ann: null, bob: 'jo_anna@example.com', cid: 'cid@an.example' }
    for (const [username, email] of Object.entries(people)) {
      const { id } = await shared.addUser({ username })
      await shared.query('update identity.users set attributes = $2 where id = $1', [id, { email }])
    }
    expect(await namesOf('ANN')).toEqual(['ann', 'bob', 'zed'])
    expect(await namesOf('an')).toEqual(['ann', 'zed'])
    expect(await namesOf('jo_')).toEqual(['bob'])
    expect(await namesOf('ann@example.com')).toEqual(['zed'])
    expect(await namesOf('@an.')).toEqual(['cid'])
    expect(await walk('ann', 1)).toEqual({ names: ['ann', 'bob', 'zed'], pages: 3 })
    expect(await walk('an', 1)).toEqual({ names: ['ann', 'zed'], pages: 2 })
    const newest = async (search: string) => (await list({ search, sort: '-created_at' })).items
    expect((await newest('ann')).map(({ username }) => username)).toEqual(['bob', 'ann', 'zed'])
    expect((await newest('an')).map(({ username }) => username)).toEqual(['ann', 'zed'])
    expect((await newest('zed'))[0]).toMatchObject({ attributes: { email: 'Ann@Example.com' } })
  })

  test('are found by their whole id', async () => {
    const { id, username } = await shared.addUser()
    await shared.addUser()
    expect(await namesOf(id)).toEqual([username])
    expect(await namesOf(id.toUpperCase())).toEqual([username])
    expect(await namesOf(randomUUID())).toEqual([])
  })

  test('come page by page, each once, even when the last page is full', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `user-${index}`)
    for (const username of names.toReversed()) await shared.addUser({ username })
    await shared.addUser({ username: 'zoe' })
    expect(await walk('USER', 2)).toEqual({ names, pages: 3 })
    expect(await walk('', 3)).toEqual({ names: [...names, 'zoe'], pages: 3 })
    expect(await walk('nobody', 3)).toEqual({ names: [], pages: 1 })
  })

  test('are not skipped or repeated when others are added or deleted between two pages', async () => {
    for (const username of ['b', 'd', 'f', 'h']) await shared.addUser({ username })
    const first = await list({ limit: 2 })
    await shared.addUser({ username: 'a' })
    await shared.addUser({ username: 'e' })
    await shared.query(`delete from identity.users where username = 'd'`)
    const second = await list({ limit: 10, cursor: first.nextCursor })
    expect(second.items.map(({ username }) => username)).toEqual(['e', 'f', 'h'])
  })

  test('are sorted by name or by when they were created, in either direction, page by page', async () => {
    for (const username of ['bob', 'Ann', 'cid']) await shared.addUser({ username })
    const all = async (sort: string, search = '') => {
      const first = await list({ sort, search, limit: 2 })
      const rest =
        first.nextCursor === undefined ? [] : (await list({ sort, search, cursor: first.nextCursor })).items
      return [...first.items, ...rest].map(({ username }) => username)
    }
    expect(await all('username')).toEqual(['Ann', 'bob', 'cid'])
    expect(await all('-username')).toEqual(['cid', 'bob', 'Ann'])
    expect(await all('created_at')).toEqual(['bob', 'Ann', 'cid'])
    expect(await all('-created_at')).toEqual(['cid', 'Ann', 'bob'])
    for (const username of ['x.ann', 'annabel']) await shared.addUser({ username })
    expect(await all('username', 'ann')).toEqual(['Ann', 'annabel', 'x.ann'])
    expect(await all('-created_at', 'ann')).toEqual(['annabel', 'x.ann', 'Ann'])
    expect(await all('-username', 'ann')).toEqual(['annabel', 'Ann', 'x.ann'])
  })

  test('are limited to administrators, to the disabled ones, and both together', async () => {
    await shared.addUser({ username: 'ann', adminRole: 'owner' })
    await shared.addUser({ username: 'bob' })
    const { id } = await shared.addUser({ username: 'cid', adminRole: 'owner' })
    await shared.query('update identity.users set disabled_at = now() where id = $1', [id])
    const names = async (request: Request) => (await list(request)).items.map(({ username }) => username)
    expect(await names({ filters: { admin: 'true' } })).toEqual(['ann', 'cid'])
    expect(await names({ filters: { admin: 'false' } })).toEqual(['bob'])
    expect(await names({ filters: { disabled: 'true' } })).toEqual(['cid'])
    await shared.addUser({ username: 'dan', adminRole: 'support' })
    expect(await names({ filters: { admin_role: 'support' } })).toEqual(['dan'])
    expect(await names({ filters: { admin_role: 'owner' } })).toEqual(['ann', 'cid'])
    expect(await names({ filters: { admin_role: 'viewer' } })).toEqual([])
    expect(await names({ filters: { admin: 'false' } })).toEqual(['bob', 'dan'])
    await shared.query(`delete from identity.users where username = 'dan'`)
    expect(await names({ filters: { disabled: 'false' } })).toEqual(['ann', 'bob'])
    expect(await names({ filters: { disabled: 'false', admin: 'true' } })).toEqual(['ann'])
    expect(await names({ search: 'bob', filters: { disabled: 'false', admin: 'true' } })).toEqual([])
  })

  test.each(['name', '-', 'password_hash'])('an unknown order is refused: %j', async (sort) => {
    await expect(list({ sort })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test.each([
    'x',
    '!',
    'W10',
    'WyJhIiwiYiJd',
    'WyIyIiwiYiJd',
    'WzFd',
    'bnVsbA',
    'WyIAIl0',
    'WyJhIl0=',
    `${'A'.repeat(5_000)}`,
  ])('an invalid cursor is refused: %j', async (cursor) => {
    await expect(list({ cursor })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test.each([0, 201, 1.5])('the limit %s is refused', async (limit) => {
    await expect(list({ limit })).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('have all their fields and a total', async () => {
    const { id, username } = await shared.addUser({ adminRole: 'owner', passwordHash: undefined })
    await shared.addUser()
    await shared.query(
      `insert into identity.social_accounts (provider, subject, user_id, display_name)
       values ('github', '1', $1, 'Octo Cat')`,
      [id],
    )
    const record = {
      id,
      username,
      adminRole: 'owner',
      createdAt: expect.any(Date),
      hasPassword: false,
      attributes: {},
      columns: {},
    }
    const { items, total } = await list({ search: username })
    expect(items).toEqual([{ ...record, disabledAt: undefined }])
    expect(total).toBe(2)
    expect(await shared.replica().admin.list.get(id)).toEqual({
      ...record,
      disabledAt: undefined,
      revision: expect.any(BigInt),
      socialAccounts: [{ provider: 'github', displayName: 'Octo Cat', linkedAt: expect.any(Date) }],
    })
  })
})

test('reads only a few rows for a page and the total of many users', async () => {
  await shared.query(
    `insert into identity.users (id, username, attributes)
     select gen_random_uuid(), 'user-' || n,
       case when n % 10 = 0 then jsonb_build_object('email', 'm' || n || '@example.com') else '{}' end
     from generate_series(0, 119999) n`,
  )
  await shared.query('vacuum analyze identity.users')
  const { items, total } = await list({ search: 'user-1', limit: 20 })
  expect(items).toHaveLength(20)
  expect(Math.abs(total - 120_000)).toBeLessThan(12_000)
  const middle = await list({
    cursor: Buffer.from('["username","0","user-15"]').toString('base64url'),
    limit: 20,
  })
  expect(middle.items[0]?.username).toBe('user-150')
  for (const cursor of [undefined, middle.nextCursor]) {
    const [plan = '', ...others] = await plansOf({ cursor, limit: 20 })
    expect(others).toEqual([])
    expect(plan).toContain('users_lower_username_pattern_idx')
    expect(plan).not.toMatch(/Seq Scan/)
  }
  await shared.query(`update identity.users set is_admin = true where username in ('user-7', 'user-9')`)
  await shared.query(`update identity.users set disabled_at = now() where username = 'user-8'`)
  await shared.query(
    `update identity.users set attributes = '{"email": "zz@example.com"}' where username = 'user-119999'`,
  )
  await shared.query('vacuum analyze identity.users')
  const [administrators] = await plansOf({ filters: { admin: 'true' } })
  expect(administrators).toContain('users_administrators_idx')
  await shared.query(`update identity.users set admin_role = 'support' where username = 'user-11'`)
  const [support] = await plansOf({ filters: { admin_role: 'support' } })
  expect(support).toContain('users_admin_roles_idx')
  const [disabled] = await plansOf({ filters: { disabled: 'true' } })
  expect(disabled).toContain('users_disabled_idx')
  for (const sort of ['created_at', '-created_at']) {
    const { nextCursor } = await list({ sort, limit: 20 })
    for (const cursor of [undefined, nextCursor]) {
      const [plan] = await plansOf({ sort, cursor, limit: 20 })
      expect(plan).toContain('users_created_at_id_idx')
      expect(plan).not.toMatch(/Seq Scan|Sort/)
    }
  }
  expect(await namesOf('r-11999')).toHaveLength(11)
  const [beginning, walked, found] = await plansOf({ search: 'r-119999' })
  for (const plan of [beginning, walked]) expect(plan).toContain('users_lower_username_pattern_idx')
  expect(found).toContain('users_lower_username_trigram_idx')
  expect(found).toContain('users_lower_email_trigram_idx')
  expect(await namesOf('m119990@')).toEqual(['user-119990'])
  expect(await namesOf('zz')).toEqual(['user-119999'])
  const [, , byEmail] = await plansOf({ search: 'zz' })
  expect(byEmail).toContain('users_lower_email_trigram_idx')
}, 180_000)

/** PostgreSQL's plan for each statement of a list. */
async function plansOf(request: Request): Promise<string[]> {
  const { pool, prisma } = shared.replica().database
  const plans: string[] = []
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await pool.query(`explain ${text}`, values)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return pool.query(text, values)
  }
  const store = createUserListStore({ pool: { query } as never, prisma })
  const counted = { ...store, total: async () => 0 }
  await listUsers({ filters: {}, limit: 50, ...request }, counted)
  return plans
}
