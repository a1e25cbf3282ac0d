import type { App } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { accessTokenAlgorithm } from '@gatehouse/proto/algorithms'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'

const url = Type.String({ format: 'uri' })
const texts = Type.Array(Type.String())

const document = {
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  introspection_endpoint: url,
  revocation_endpoint: url,
  jwks_uri: url,
  response_types_supported: texts,
  grant_types_supported: texts,
  subject_types_supported: texts,
  id_token_signing_alg_values_supported: texts,
  scopes_supported: texts,
  token_endpoint_auth_methods_supported: texts,
  code_challenge_methods_supported: texts,
  authorization_response_iss_parameter_supported: Type.Boolean({ description: 'RFC 9207.' }),
}

/** What the document says about this installation. */
export type DiscoveryFacts = {
  issuer: string
  scopesSupported: string[]
  /** Gives the scopes of resource servers that are open to registration; absent when resource indicators are off. */
  openResourceScopes?: (() => Promise<readonly string[]>) | undefined
  registration: boolean
  grantTypes: string[]
  publicClients: boolean
}

/**
 * GET /.well-known/openid-configuration, the same with more fields at /.well-known/oauth-authorization-server (RFC 8414),
 * and the key set, which is empty because a symmetric key is never published.
 */
export function discoveryRoutes(app: App, facts: DiscoveryFacts): void {
  const { issuer, scopesSupported, registration, openResourceScopes } = facts
  const authMethods = ['client_secret_post', 'client_secret_basic', ...(facts.publicClients ? ['none'] : [])]
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ['code'],
    grant_types_supported: facts.grantTypes,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [accessTokenAlgorithm],
    scopes_supported: scopesSupported,
    token_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
  /** RFC 8414 section 2: the scopes of resource servers that anybody may ask for are among those of the server. */
  async function withScopes<Document extends object>(document: Document): Promise<Document> {
    if (openResourceScopes === undefined) return document
    const scopes = [...new Set([...scopesSupported, ...(await openResourceScopes())])]
    return { ...document, scopes_supported: scopes }
  }
  const shared = {
    method: 'GET',
    // The documents are public, so pages of any origin may read them.
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.header('access-control-allow-origin', '*')
    },
  } as const
  // Browsers send a preflight before a request with custom headers (the Fetch standard's CORS protocol).
  for (const url of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ]) {
    app.route({ ...shared, method: 'OPTIONS', url, schema: { hide: true }, handler: answerPreflight })
  }
  const tags = ['Discovery']
  const authorizationServer = {
    ...metadata,
    introspection_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    ...(registration && { registration_endpoint: `${issuer}/clients/register` }),
  }
  const description = 'The endpoints and capabilities of this server.'

  app.route({
    ...shared,
    url: '/.well-known/openid-configuration',
    schema: {
      operationId: 'getOpenidConfiguration',
      summary: 'Server metadata',
      tags,
      response: answers({
        200: Type.Object(document, { title: 'OpenidConfiguration', description, examples: [metadata] }),
      }),
    },
    handler: () => withScopes(metadata),
  })
  app.route({
    ...shared,
    url: '/.well-known/oauth-authorization-server',
    schema: {
      operationId: 'getAuthorizationServerMetadata',
      summary: 'Server metadata (RFC 8414)',
      tags,
      response: answers({
        200: Type.Object(
          {
            ...document,
            registration_endpoint: Type.Optional(url),
            introspection_endpoint_auth_methods_supported: texts,
            revocation_endpoint_auth_methods_supported: texts,
          },
          { title: 'AuthorizationServerMetadata', description, examples: [authorizationServer] },
        ),
      }),
    },
    handler: () => withScopes(authorizationServer),
  })
  app.route({
    ...shared,
    url: '/.well-known/jwks.json',
    schema: {
      operationId: 'getKeySet',
      summary: 'Key set',
      description: `Empty: tokens are signed with ${accessTokenAlgorithm}, and a symmetric key is never published.`,
      tags,
      response: answers({
        200: Type.Object(
          { keys: Type.Array(Type.Object({})) },
          { title: 'KeySet', description: 'No keys.', examples: [{ keys: [] }] },
        ),
      }),
    },
    handler: async () => ({ keys: [] }),
  })
}

async function answerPreflight(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .code(204)
    .headers({
      'access-control-allow-methods': 'GET, HEAD',
      // `*` does not include Authorization.
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '600',
    })
    .send()
}
