import { randomUUIDv7 } from 'node:crypto'
import type { Database } from '@gatehouse/prisma/database'
import { expect, test } from 'vitest'
import { createAccessTokenStore } from '../../src/store/access-tokens.ts'
import { createAuthorizationCodeStore } from '../../src/store/authorization-codes.ts'
import { createAuthorizationFlowStore } from '../../src/store/authorization-flows.ts'
import { createPasswordGrantStore } from '../../src/store/password-grants.ts'
import { createRefreshTokenStore } from '../../src/store/refresh-tokens.ts'
import { createProofStore } from '../../src/store/spent-proofs.ts'
import { usersClient } from '../clients/clients.ts'
import { noOrganization } from '../organizations/organizations.ts'
import { clientGrant, userGrant } from '../tokens/granted.ts'
import { someRecord } from './database.ts'
import { redirectUri } from './replica.ts'

// The statements are made of lists of columns. Here they are whole, as PostgreSQL gets them: a change of a list shows in each statement
// that it changes.

const digest = Buffer.alloc(32)
const tokens = { expiresAt: 1, jti: randomUUIDv7(), resources: [], refreshToken: undefined }
const client = usersClient()
const asked = { redirectUri, codeChallenge: undefined }
const proof = { digest, expiresAt: 1, attempt: randomUUIDv7(), clientId: 'client_a' }
const given = { grantId: randomUUIDv7(), grant: userGrant(), clientRevision: 1n }

/** Stores on a database that has nothing and keeps nothing. @returns the text of the statement with a name, in lines */
async function textOf(
  name: string,
  use: (deps: Parameters<typeof createRefreshTokenStore>[0]) => Promise<unknown>,
): Promise<string> {
  const texts = new Map<string | undefined, string>()
  const query = async ({ name, text }: { name?: string; text: string }) => {
    texts.set(name, text)
    return { rows: [], rowCount: 0 }
  }
  // The stores call nothing else of the pool.
  const database = { pool: { query } as unknown as Database['pool'] }
  // Some stores refuse what was not stored.
  await use({ database, makePartitions: async () => undefined, keptFor: 1 }).catch(() => undefined)
  const line = texts.get(name)?.replaceAll(/\s+/g, ' ').trim() ?? ''
  const clause =
    /(?<!^|cross|left|key|for|\() (?=(?:with|select|from|where|and|cross|left|join|insert|values|update|delete|returning)\b)/g
  return `${line.replaceAll(clause, '\n')}\n`
}

test.each([
  ['insert_access_tokens', (deps) => createAccessTokenStore(deps).insert(someRecord())],
  [
    'insert_access_tokens_by_role',
    (deps) =>
      createAccessTokenStore(deps).insert({
        ...someRecord(),
        authority: { carried: undefined, authorityRevision: undefined, rolesRevision: 1n },
      }),
  ],
  [
    'insert_access_tokens_since',
    (deps) => createAccessTokenStore(deps).insert({ ...someRecord(), grantedAt: '2026-11-26 12:00:00+00' }),
  ],
  [
    'insert_access_tokens_with_proofs',
    (deps) => createAccessTokenStore(deps).insert({ ...someRecord(), proof }),
  ],
  ['spend_proofs', ({ database }) => createProofStore(database).spend(proof)],
  ['find_live_access_tokens', (deps) => createAccessTokenStore(deps).findLive(someRecord())],
  ['find_grant_of_code', (deps) => createAuthorizationCodeStore(deps).findGrant(digest, 'client_a')],
  ['find_grant_of_refresh_token', (deps) => createRefreshTokenStore(deps).findGrant(digest, 'client_a')],
  [
    'add_authorization_flow',
    ({ database }) =>
      createAuthorizationFlowStore(database).add({
        ...{ ...asked, grant: clientGrant(), id: randomUUIDv7(), state: 'state' },
        ...{ openid: undefined, namedOrganization: undefined, lifetime: 900 },
      }),
  ],
  [
    'add_authorization_codes',
    (deps) =>
      createAuthorizationCodeStore(deps).add(
        {
          ...{ ...asked, ...given, digest, grantedAt: new Date(), lifetime: 600 },
        },
        undefined,
      ),
  ],
  [
    'redeem_authorization_codes',
    (deps) =>
      createAuthorizationCodeStore(deps).redeem(
        { digest, client, codeChallenge: undefined, redirectUri, organization: noOrganization },
        tokens,
      ),
  ],
  [
    'redeem_authorization_codes_with_proofs',
    (deps) =>
      createAuthorizationCodeStore(deps).redeem(
        { digest, client, codeChallenge: undefined, redirectUri, organization: noOrganization, proof },
        tokens,
      ),
  ],
  [
    'rotate_refresh_tokens',
    (deps) =>
      createRefreshTokenStore(deps).rotate(
        { digest, client, scope: undefined, organization: noOrganization, successorExpiresAt: 1 },
        tokens,
      ),
  ],
  [
    'add_password_grant',
    (deps) =>
      createPasswordGrantStore(deps).add(
        { ...given, accessScope: 'read', grantedAt: '2026-11-26 12:00:00+00' },
        tokens,
      ),
  ],
] satisfies [string, Parameters<typeof textOf>[1]][])(
  '%s is the statement that it was',
  async (name, use) => {
    await expect(await textOf(name, use)).toMatchFileSnapshot(`statements/${name}.sql`)
  },
)
