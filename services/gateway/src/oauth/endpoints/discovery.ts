import type { App } from '@gatehouse/http/app'
import { answers, onlyWhere } from '@gatehouse/http/schemas'
import { advertisedAuthenticationMethods } from '@gatehouse/proto/client-authentication'
import { presentWith } from '@gatehouse/proto/profiles'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openidDocument, openidMetadata } from '../openid-metadata.ts'

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
  registration_endpoint: Type.Optional(
    Type.String({ format: 'uri', description: 'Absent where `OAUTH2_REGISTRATION` is `closed`.' }),
  ),
  client_id_metadata_document_supported: Type.Optional(
    Type.Boolean(
      onlyWhere(
        presentWith('OAUTH2_CLIENT_METADATA_DOCUMENTS'),
        'Whether a client_id may be the address of a client ID metadata document.',
      ),
    ),
  ),
}

/** The facts about this installation that the document contains. */
export type DiscoveryFacts = {
  issuer: string
  scopesSupported: string[]
  /** Gives the scopes of resource servers that are open to registration; absent when resource indicators are off. */
  openResourceScopes?: (() => Promise<readonly string[]>) | undefined
  registration: boolean
  grantTypes: string[]
  publicClients: boolean
  /** Whether OpenID Connect is on. */
  openid: boolean
  /** Whether clients may ask for the response mode form_post. */
  formPost: boolean
  /** The algorithms that sign ID tokens; none when the server is no OpenID provider. */
  idTokenAlgorithms: readonly string[]
  /** OAUTH2_CLIENT_METADATA_DOCUMENTS. */
  clientMetadataDocuments: boolean
}

/** GET /.well-known/openid-configuration, and the same with more fields at /.well-known/oauth-authorization-server (RFC 8414). */
export function discoveryRoutes(app: App, facts: DiscoveryFacts): void {
  // Browsers send a preflight before a request with custom headers (the Fetch standard's CORS protocol).
  for (const url of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ]) {
    app.route({ ...shared, method: 'OPTIONS', url, schema: { hide: true }, handler: answerPreflight })
  }
  metadataRoutes(app, facts)
}

const shared = {
  method: 'GET',
  // The documents are public, so pages of any origin may read them.
  onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('access-control-allow-origin', '*')
  },
} as const
const tags = ['Discovery']

/** The contents of both metadata documents. */
function metadataOf({ issuer, scopesSupported, registration, ...facts }: DiscoveryFacts) {
  const authMethods = advertisedAuthenticationMethods(facts.publicClients)
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
    // OpenID Connect Discovery 1.0 section 3 demands the field of a document that is served at that address.
    id_token_signing_alg_values_supported:
      facts.idTokenAlgorithms.length > 0 ? [...facts.idTokenAlgorithms] : ['HS256'],
    scopes_supported: scopesSupported,
    token_endpoint_auth_methods_supported: authMethods,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    ...(facts.openid && {
      ...openidMetadata(issuer, registration, facts.formPost),
      introspection_endpoint_auth_methods_supported: authMethods,
    }),
    ...(facts.clientMetadataDocuments && { client_id_metadata_document_supported: true }),
  }
  const authorizationServer = {
    ...metadata,
    introspection_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_methods_supported: authMethods,
    ...(registration && { registration_endpoint: `${issuer}/clients/register` }),
  }
  return { metadata, authorizationServer }
}

function metadataRoutes(app: App, facts: DiscoveryFacts): void {
  const { scopesSupported, openResourceScopes } = facts
  const { metadata, authorizationServer } = metadataOf(facts)
  /** RFC 8414 section 2: the scopes of resource servers that anybody may ask for are among those of the server. */
  async function withScopes<Document extends object>(document: Document): Promise<Document> {
    if (openResourceScopes === undefined) return document
    const scopes = [...new Set([...scopesSupported, ...(await openResourceScopes())])]
    return { ...document, scopes_supported: scopes }
  }
  const sendConfiguration = sendLastMade()
  const sendMetadata = sendLastMade()
  const description = 'The endpoints and capabilities of this server.'

  app.route({
    ...shared,
    url: '/.well-known/openid-configuration',
    schema: {
      operationId: 'getOpenidConfiguration',
      summary: 'Server metadata',
      tags,
      response: answers({
        200: Type.Object(
          {
            ...document,
            ...openidDocument,
            introspection_endpoint_auth_methods_supported: Type.Optional(texts),
          },
          { title: 'OpenidConfiguration', description, examples: [metadata] },
        ),
      }),
    },
    handler: async (_request, reply) => sendConfiguration(reply, await withScopes(metadata)),
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
            ...openidDocument,
            introspection_endpoint_auth_methods_supported: texts,
            revocation_endpoint_auth_methods_supported: texts,
          },
          { title: 'AuthorizationServerMetadata', description, examples: [authorizationServer] },
        ),
      }),
    },
    handler: async (_request, reply) => sendMetadata(reply, await withScopes(authorizationServer)),
  })
}

/** @returns a function that sends a document whose bytes are made anew only when its scopes have changed */
function sendLastMade(): (reply: FastifyReply, document: { scopes_supported: string[] }) => never {
  let last: { scopes: string; content: Buffer } | undefined
  return (reply, document) => {
    const scopes = document.scopes_supported.join(' ')
    if (last?.scopes !== scopes) last = { scopes, content: Buffer.from(reply.serialize(document) as string) }
    return reply.type('application/json; charset=utf-8').send(last.content) as never
  }
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
