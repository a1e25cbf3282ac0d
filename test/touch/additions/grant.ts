import type { Addition } from '../addition.ts'
import { after, instead, newFile } from '../edit.ts'

/** The name of the grant. */
export const addedGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

const clientTest = 'services/token/test/grants/client-credentials.test.ts'
const table = 'services/token/src/grants/table.ts'

/**
 * A grant of the token endpoint: a client presents an access token of its own as an assertion (RFC 7523), and gets another one with
 * less scope, for example to hand it on.
 */
export const grant: Addition = {
  name: 'a grant without an endpoint of its own',
  goal: 3,
  most: 3,
  entry: [
    after(
      'proto/grants.ts',
      `export const grants = {
`,
      `  '${addedGrant}': {
    meaning: 'the client trades a token of its own for one with less scope',
    parameters: { assertion: 'An active access token of the client itself.', scope },
    tokensOf: 'client',
    redirects: false,
    confidential: true,
    batched: false,
    repeatable: false,
  },
`,
    ),
  ],
  asks: [table],
  rest: [
    newFile(
      'services/token/src/grants/jwt-bearer.ts',
      `import { Refusal } from '@gatehouse/kit/errors'
import type { AccessTokenStore } from '../tokens/access-token-store.ts'
import type { Client } from '../clients/client-authentication.ts'
import { newGrant } from '../tokens/grant-record.ts'
import { type IssuedToken, newAccessToken, signAccessToken } from '../tokens/issued-token.ts'
import { grantTargetScope } from '../clients/resource-indicators.ts'
import { grantScope } from '../clients/scope.ts'
import type { ClientCredentialsGrantDeps } from './client-credentials.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { requireParameters } from './parameters.ts'

/** The needs of the grant. */
export type JwtBearerGrantDeps = Omit<ClientCredentialsGrantDeps, 'store'> & {
  store: Pick<AccessTokenStore, 'insert' | 'findLive'>
}

const grantType = '${addedGrant}'

/**
 * Issues a token in the client's own name for an active one that the client has.
 * @throws Refusal invalid_request, invalid_grant, invalid_scope, invalid_target
 */
async function issue(
  client: Client,
  { parameters, resources }: GrantRequest,
  deps: JwtBearerGrantDeps,
): Promise<IssuedToken> {
  const { assertion = '', scope: requested = '' } = parameters
  requireParameters({ assertion })
  const { clientId, revision: clientRevision } = client
  const claims = await deps.signer.verify(assertion)
  const valid = claims !== undefined && claims.sub === clientId && claims.exp * 1000 > deps.now()
  const live = valid ? await deps.store.findLive({ expiresAt: claims.exp, jti: claims.jti }) : undefined
  if (live === undefined)
    throw new Refusal('invalid_grant', 'The assertion must be an active access token of the client itself.')
  const target = await deps.resourceIndicators.targetOf(resources, client)
  const scope = grantTargetScope(grantScope(requested, live.permittedScope), target, client)
  const key = newAccessToken({ client, target }, deps)
  const grant = newGrant(client, scope, target)
  const [token] = await Promise.all([
    signAccessToken(key, grant, { client, target }, deps),
    deps.store.insert({ ...key, grantId: key.jti, clientRevision, grant }),
  ])
  deps.emit('token_created', { clientId, metadata: { token_id: key.jti, grant_type: grantType, scope } })
  return token
}

/** The grant of an assertion (RFC 7523 section 2.1). */
export const jwtBearer: Grant<JwtBearerGrantDeps> = { issue }
`,
    ),
    after(
      table,
      `import type { Grant, GrantRequest } from './grant.ts'
`,
      `import { type JwtBearerGrantDeps, jwtBearer } from './jwt-bearer.ts'
`,
    ),
    after(table, `  ClientCredentialsGrantDeps &\n`, `  JwtBearerGrantDeps &\n`),
    after(table, `  client_credentials: clientCredentials,\n`, `  '${addedGrant}': jwtBearer,\n`),
    instead(
      'services/token/test/grants/grant-deps.ts',
      `{ insert: unasked, now: unasked },`,
      `{ insert: unasked, findLive: unasked, now: unasked },`,
    ),
    // The stand-ins of tests for a store that the grants now also read.
    ...[
      [clientTest, 'store: { insert: async (record) => void stored.push(record)'],
      [clientTest, 'store: { insert: () => promise'],
      [clientTest, 'store: { insert: () => Promise.reject(failure)'],
      ['services/token/test/grants/grant-events.test.ts', 'store: { insert: async () => undefined'],
      ['services/token/test/grants/grant-events.test.ts', 'store = { insert: unasked'],
    ].map(([file = '', store = '']) => after(file, store, `, findLive: unasked`)),
  ],
}
