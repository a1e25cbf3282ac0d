import type { Addition } from '../addition.ts'
import { after, instead } from '../edit.ts'

const record = 'services/token/src/tokens/grant-record.ts'
const columns = 'services/token/src/store/grant-columns.ts'
const judging = 'services/token/src/authorization/authorization-request.ts'
const ofClient = 'services/token/src/grants/client-credentials.ts'
const active = 'services/token/src/tokens/active-token.ts'
const introspection = 'services/token/src/tokens/introspection.ts'
const contract = 'proto/gatehouse/token/v1/token.proto'
const authorization = 'services/gateway/src/people/authorization/authorization.ts'
const introspectRoute = 'services/gateway/src/oauth/endpoints/introspect.ts'

/**
 * The key to which a grant's tokens belong, by its thumbprint: sent to the authorization and the token endpoint, carried by flow, code,
 * refresh token and access token, in the claims of the JWT and in the answer of introspection.
 */
export const tokenFact: Addition = {
  name: 'a fact that a token carries',
  goal: 12,
  most: 11,
  entry: [
    after(
      record,
      `  session: SessionGrant | undefined
`,
      `  /** The thumbprint of its key; undefined for none. */
  binding: string | undefined
`,
    ),
    instead(
      record,
      `session: undefined, organizationId: undefined }
`,
      `session: undefined, organizationId: undefined, binding: undefined }
`,
    ),
    after(
      record,
      `  org_id?: string | undefined\n`,
      `  /** undefined for none. */\n  jkt?: string | undefined\n`,
    ),
    instead(
      record,
      `{ clientId, scope, organizationId }: GrantRecord`,
      `{ clientId, scope, organizationId, binding }: GrantRecord`,
    ),
    after(record, `org_id: organizationId`, `, jkt: binding`),
  ],
  asks: [columns],
  rest: [
    after(
      columns,
      `const columns = {
`,
      `  binding: [{ name: 'binding', type: 'text', value: ({ grant }) => grant.binding }],
`,
    ),
    after(columns, `  resources: string | null\n`, `  binding: string | null\n`),
    after(columns, `    session: undefined,\n`, `    binding: row.binding ?? undefined,\n`),
    instead(
      judging,
      `  /** The parameters of OpenID Connect (Core section 3.1.2.1) by name. */
`,
      `  /** The thumbprint of a key; undefined when none was sent. */
  binding?: string | undefined
  /** The parameters of OpenID Connect (Core section 3.1.2.1) by name. */
`,
    ),
    instead(
      judging,
      `newGrant(client, scope, target),`,
      `{ ...newGrant(client, scope, target), binding: request.binding },`,
    ),
    instead(ofClient, `scope: requested = '' }`, `scope: requested = '', dpop_jkt: binding }`),
    instead(
      ofClient,
      `newGrant(client, scope, target), organizationId }`,
      `newGrant(client, scope, target), organizationId, binding }`,
    ),
    after(
      'proto/grants.ts',
      `    meaning: 'the client acts for itself',
    parameters: {
      scope,
`,
      `      dpop_jkt: 'The thumbprint of the key to which the token belongs.',
`,
    ),
    after(
      active,
      `  /** Whether it is a user's token, and not the client's own. */
  ofUser: boolean
`,
      `  /** The thumbprint of the key to which it belongs; undefined for none. */
  jkt: string | undefined
`,
    ),
    after(active, `      ofUser: user !== undefined,\n`, `      jkt: live.grant.binding,\n`),
    instead(introspection, `...own, sub, iat, exp }`, `...own, sub, iat, exp, jkt: grant.binding }`),
    after(
      contract,
      `  // The id or the slug of the organization that the client named; absent for none.
  optional string organization = 9;
`,
      `  // The thumbprint of the key to which tokens will belong; absent for none.
  optional string binding = 10;
`,
    ),
    after(
      contract,
      `  // The organization in which the grant was given; absent for none.
  optional string org_id = 14;
`,
      `  // The thumbprint of the key to which it belongs; absent for none.
  optional string jkt = 15;
`,
    ),
    after(authorization, `      scope: form.scope,\n`, `      binding: form.dpop_jkt,\n`),
    after(
      'services/gateway/src/people/authorization/parameters.ts',
      `  state: Type.Optional(Type.String({ description: 'Returned unchanged.' })),
`,
      `  dpop_jkt: Type.Optional(Type.String({ description: 'The thumbprint of the key to which tokens will belong.' })),
`,
    ),
    after(introspectRoute, `    jti: text,\n`, `    jkt: text,\n`),
    instead(introspectRoute, `jti, ofUser: _,`, `jti, ofUser: _, jkt,`),
    instead(
      introspectRoute,
      `client_id: clientId, ...others }`,
      `client_id: clientId, ...others, ...(jkt !== undefined && { jkt }) }`,
    ),
  ],
}
