import { beforeEach, expect, test } from 'vitest'
import { createAccessTokenStore } from '../../src/store/access-tokens.ts'
import { countActiveTokens } from '../../src/store/active-tokens.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { someRecord, useDatabase } from './database.ts'

const shared = useDatabase()
const now = Math.floor(Date.now() / 1000)
const day = 86_400

function start() {
  const { make } = createPartitions(shared.database)
  return createAccessTokenStore({ database: shared.database, makePartitions: make })
}

beforeEach(() => shared.query('truncate token.access_tokens'))

test('counts no tokens without partitions', async () => {
  expect(await countActiveTokens(shared.database)).toBe(0)
})

test('counts the tokens of all days that are neither expired nor revoked', async () => {
  const store = start()
  const records = Array.from({ length: 30 }, (_, index) =>
    someRecord({ expiresAt: now + 60 + (index % 3) * day }),
  )
  const expired = [someRecord({ expiresAt: now - 10 }), someRecord({ expiresAt: now - day })]
  await Promise.all([...records, ...expired].map(store.insert))
  expect(await countActiveTokens(shared.database)).toBe(30)
  await Promise.all(records.slice(0, 4).map(store.revoke))
  expect(await countActiveTokens(shared.database)).toBe(26)
})

test('does not count expired tokens beyond a million either', async () => {
  const store = start()
  await Promise.all([0, 1, 2].map((index) => store.insert(someRecord({ expiresAt: now + day + index }))))
  // A day of expired tokens, whose partition stays for an hour; the statistics pretend that it has two million.
  await store.insert(someRecord({ expiresAt: now - day }))
  const name = new Date((now - day) * 1000).toISOString().slice(0, 10).replaceAll('-', '')
  await shared.query(
    `update pg_class set reltuples = 2000000, relpages = 20000
     where oid = 'token.access_tokens_${name}'::regclass`,
  )
  expect(await countActiveTokens(shared.database)).toBe(3)
})
