import { hash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { deleteExpired } from '../../src/store/expired.ts'
import { useDatabase } from './database.ts'
import { startReplica } from './replica.ts'

const shared = useDatabase()
beforeEach(() => shared.query('truncate token.authorization_codes, token.refresh_tokens'))

const digest = (text: string) => hash('sha256', text, 'buffer')
const countOf = async (table: string) =>
  Number((await shared.query(`select count(*) from token.${table}`))[0]?.count)

test('deletes an authorization code a day after it expired, and no sooner', async () => {
  const replica = startReplica(shared.database)
  const codes = await Promise.all([1, 2, 3].map(() => replica.authorize()))
  for (const [index, hours] of [0, 23, 25].entries()) {
    await shared.query(
      `update token.authorization_codes set expires_at = now() - make_interval(hours => $1) where code_digest = $2`,
      [hours, digest(codes[index]?.code ?? '')],
    )
  }
  expect(await deleteExpired(shared.database, 'authorization_codes')).toBe(1)
  expect(await countOf('authorization_codes')).toBe(2)
})

test('deletes only expired refresh tokens', async () => {
  const replica = startReplica(shared.database)
  const [expired, alive] = [await replica.logIn(), await replica.logIn()]
  await shared.query(
    `update token.refresh_tokens set expires_at = now() - interval '1 s' where token_digest = $1`,
    [digest(expired.refreshToken ?? '')],
  )
  expect(await deleteExpired(shared.database, 'refresh_tokens')).toBe(1)
  expect((await replica.refresh(alive.refreshToken)).scope).toBe('read write')
})

test('keeps a grant usable after its older refresh tokens are deleted', async () => {
  const replica = startReplica(shared.database)
  const first = await replica.logIn()
  const second = await replica.refresh(first.refreshToken)
  await shared.query(
    `update token.refresh_tokens set expires_at = now() - interval '1 s' where token_digest = $1`,
    [digest(first.refreshToken ?? '')],
  )
  expect(await deleteExpired(shared.database, 'refresh_tokens')).toBe(1)
  expect((await replica.refresh(second.refreshToken)).scope).toBe('read write')
})

test('deletes many expired rows in batches', async () => {
  await shared.query(
    `insert into token.refresh_tokens
       (token_digest, grant_id, granted_at, client_id, user_id, username, scope, expires_at)
     select sha256(n::text::bytea), gen_random_uuid(), now(), 'c', 'u', 'ann', 'read', now() - interval '1 s'
     from generate_series(1, 2500) n`,
  )
  shared.statements.length = 0
  expect(await deleteExpired(shared.database, 'refresh_tokens')).toBe(2_500)
  expect(shared.statements.length).toBe(3)
})
