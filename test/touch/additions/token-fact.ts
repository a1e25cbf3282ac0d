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
 * The organization in which a token was given, by its id: sent to the authorization and the token endpoint, carried by flow, code, refresh
 * token and access token, in the claims of the JWT and in the answer of introspection.
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
      `  /** undefined for none. */
  organizationId: string | undefined
`,
    ),
    instead(
      record,
      `  return { clientId, scope, resources: identifiersOf(target), user: undefined, session: undefined }
`,
      `  const nothing = { user: undefined, session: undefined, organizationId: undefined }
  return { clientId, scope, resources: identifiersOf(target), ...nothing }
`,
    ),
    after(record, `  client_id: string\n`, `  /** Undefined for none. */\n  org_id?: string | undefined\n`),
    instead(record, `{ clientId, scope }: GrantRecord`, `{ clientId, scope, organizationId }: GrantRecord`),
    after(record, `client_id: clientId`, `, org_id: organizationId`),
  ],
  asks: [columns],
  rest: [
    after(
      columns,
      `const columns = {
`,
      `  organizationId: [{ name: 'organization_id', type: 'text', value: ({ grant }) => grant.organizationId }],
`,
    ),
    after(columns, `  resources: string | null\n`, `  organization_id: string | null\n`),
    after(columns, `    session: undefined,\n`, `    organizationId: row.organization_id ?? undefined,\n`),
    instead(
      judging,
      `  /** The parameters of OpenID Connect (Core section 3.1.2.1) by name. */
`,
      `  /** The id of an organization; undefined when none was sent. */
  organization?: string | undefined
  /** The parameters of OpenID Connect (Core section 3.1.2.1) by name. */
`,
    ),
    instead(
      judging,
      `newGrant(client, scope, target),`,
      `{ ...newGrant(client, scope, target), organizationId: request.organization },`,
    ),
    instead(ofClient, `scope: requested = '' }`, `scope: requested = '', organization: organizationId }`),
    instead(
      ofClient,
      `newGrant(client, scope, target)`,
      `{ ...newGrant(client, scope, target), organizationId }`,
    ),
    instead(
      'proto/grants.ts',
      `    meaning: 'the client acts for itself',
    parameters: { scope },
`,
      `    meaning: 'the client acts for itself',
    parameters: { scope, organization: 'The id of the organization in which the client acts.' },
`,
    ),
    after(
      active,
      `  /** Whether it is a user's token, and not the client's own. */
  ofUser: boolean
`,
      `  /** The id of the organization in which it was given; undefined for none. */
  orgId: string | undefined
`,
    ),
    after(active, `      ofUser: user !== undefined,\n`, `      orgId: live.grant.organizationId,\n`),
    instead(introspection, `...own, sub, iat, exp }`, `...own, sub, iat, exp, orgId: grant.organizationId }`),
    after(
      contract,
      `  // The resource servers for which tokens will be asked (RFC 8707); empty for none.
  repeated string resources = 8;
`,
      `  // The id of the organization in which the client asks; absent for none.
  optional string organization = 9;
`,
    ),
    after(
      contract,
      `  optional bool of_user = 12;
`,
      `  // The id of the organization in which it was given; absent for none.
  optional string org_id = 13;
`,
    ),
    after(authorization, `      scope: form.scope,\n`, `      organization: form.organization,\n`),
    after(
      'services/gateway/src/people/routes/authorize.ts',
      `  state: Type.Optional(Type.String({ description: 'Returned unchanged.' })),
`,
      `  organization: Type.Optional(Type.String({ description: 'The id of the organization in which the client asks.' })),
`,
    ),
    after(introspectRoute, `    jti: text,\n`, `    org_id: text,\n`),
    instead(introspectRoute, `jti, ofUser: _,`, `jti, ofUser: _, orgId,`),
    instead(
      introspectRoute,
      `client_id: clientId, ...others }`,
      `client_id: clientId, ...others, ...(orgId !== undefined && { org_id: orgId }) }`,
    ),
  ],
}
