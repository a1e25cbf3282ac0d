import { expect } from 'vitest'
import { issueTokens, type TokenRequest } from '../../../src/grants/table.ts'
import { assertionOf, clientKey, keyedClient, presentingAssertion } from '../../clients/assertions/signed.ts'
import { findAmong, usersClient } from '../../clients/clients.ts'
import type { StoreTest } from '../database.ts'
import { startReplica, verifier } from '../replica.ts'

/** The key of the clients. */
export const key = clientKey('ES256')

/** All grants. */
export const grantTypes = new Set([...usersClient().grantTypes, 'client_credentials'])

const clients = [
  keyedClient([key], { grantTypes }),
  keyedClient([key], { clientId: 'client_b', grantTypes }),
  usersClient({ clientId: 'client_secret' }),
]

/** Starts a replica whose clients `client_a` and `client_b` have a key, and `client_secret` a secret. */
export const start = (database: StoreTest['database'], changes: Parameters<typeof startReplica>[1] = {}) =>
  startReplica(database, { findClient: findAmong(clients), ...changes })

/** Such a replica. */
export type Replica = ReturnType<typeof start>

/** A new assertion. */
export const assertion = (clientId = 'client_a', claims: object = {}) =>
  assertionOf(key, { clientId, claims })

type Sent = Partial<TokenRequest> & { clientId?: string }

/** Sends a token request with an assertion, as a request of its own. */
export const send = (
  at: Replica,
  text: string,
  { grantType = 'client_credentials', clientId = 'client_a', ...request }: Sent = {},
) =>
  issueTokens(
    {
      ...{ grantType, parameters: {}, resources: [], ipAddress: '192.0.2.1' },
      presented: presentingAssertion(text, clientId),
      ...request,
    },
    at,
  )

/** Redeems a code. */
export const redeem = (at: Replica, text: string, code: string) =>
  send(at, text, { grantType: 'authorization_code', parameters: { code, code_verifier: verifier } })

/** Uses a refresh token. */
export const refresh = (at: Replica, text: string, refreshToken = '') =>
  send(at, text, { grantType: 'refresh_token', parameters: { refresh_token: refreshToken } })

/** How many rows a table has. */
export async function countRows({ database }: Pick<StoreTest, 'database'>, table: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(`select count(*)::int from token.${table}`)
  return rows[0]?.count ?? 0
}

/** The refusal of an assertion that was spent. */
export const isReplay = expect.objectContaining({
  ...{ code: 'invalid_client', failed: { clientId: 'client_a', reason: 'replayed_assertion' } },
})
