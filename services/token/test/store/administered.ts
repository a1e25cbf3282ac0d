import { randomUUIDv7 } from 'node:crypto'
import { beforeEach } from 'vitest'
import {
  endToken,
  endTokensOf,
  type ListedOf,
  listTokens,
  type TokenOwner,
} from '../../src/administration/token-administration.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { createTokenAdministrationStore } from '../../src/store/token-administration.ts'
import { someActor } from '../keys/key-store.ts'
import { useDatabase } from './database.ts'
import { startReplica } from './replica.ts'

const hour = 3600
/** Seconds since the Unix epoch. */
export const inHours = (hours: number) => Math.floor(Date.now() / 1000) + Math.round(hours * hour)

/** Creates a database without tokens for a test file, and the administrators' functions on it. */
export function useAdministration() {
  const shared = useDatabase()
  beforeEach(() =>
    shared.query('truncate token.access_tokens, token.refresh_tokens, token.revocations, token.audit_log'),
  )

  function start() {
    const replica = startReplica(shared.database)
    const tokens = createTokenAdministrationStore(shared.database, 3600, async (_, { type, content }) =>
      replica.emit(type, content),
    )
    const deps = { tokens, signer: replica.signer, emit: replica.emit }
    return {
      replica,
      deps,
      list: (of?: ListedOf, cursor?: string, limit = 50) => listTokens({ of, cursor, limit }, deps),
      end: (which: Parameters<typeof endToken>[0]) => endToken(which, someActor, deps),
      endOf: (owner: TokenOwner) => endTokensOf(owner, someActor, deps),
    }
  }

  /** Inserts rows as issuing does. */
  async function insert(
    rows: { expiresAt: number; clientId?: string; userId?: string }[],
  ): Promise<string[]> {
    await createPartitions(shared.database).make(rows.map(({ expiresAt }) => expiresAt))
    const keys = rows.map((row) => ({ clientId: 'client_a', userId: null, jti: randomUUIDv7(), ...row }))
    await shared.query(
      `insert into token.access_tokens (expires_at, jti, grant_id, client_id, user_id, scope)
       select to_timestamp(e), j, j, c, u, 'read' from unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[]) t (e, j, c, u)`,
      [
        keys.map(({ expiresAt }) => expiresAt),
        keys.map(({ jti }) => jti),
        keys.map(({ clientId }) => clientId),
        keys.map(({ userId }) => userId),
      ],
    )
    return keys.map(({ jti }) => jti)
  }

  const audited = () =>
    shared.query('select actor_id, action, target, before, after from token.audit_log order by entry_id')

  return { shared, start, insert, audited }
}
