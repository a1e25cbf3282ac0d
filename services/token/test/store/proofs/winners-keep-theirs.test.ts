import type { Database } from '@gatehouse/prisma/database'
import { beforeAll, expect, test } from 'vitest'
import { useDatabase } from '../database.ts'
import { assertion, redeem, send, start } from './proving-replica.ts'

const context = useDatabase()
// The first token makes its partition.
beforeAll(() => send(start(context.database), assertion()))

/** The same database, whose connections are gone right after a statement that stored tokens. */
function losingConnections(): Database {
  const { pool } = context.database
  const query = (config: { name?: string }) =>
    config.name === 'spend_proofs'
      ? Promise.reject(Object.assign(new Error('the connection is lost'), { code: '08006' }))
      : pool.query(config as never)
  return { ...context.database, pool: { ...pool, query } as never }
}

test('a code that was redeemed gives its tokens, whatever becomes of a wrong code in the same batch', async () => {
  const at = start(context.database)
  const { code } = await at.authorize()
  const losing = start(losingConnections())
  const [winner, other] = await Promise.allSettled([
    redeem(losing, assertion(), code),
    redeem(losing, assertion('client_a'), 'a-code-that-nobody-has'),
  ])
  expect(other.status).toBe('rejected')
  // It is used up by now.
  expect(
    await context.query('select from token.authorization_codes where redeemed_at is not null'),
  ).toHaveLength(1)
  expect(winner).toMatchObject({ status: 'fulfilled' })
})
