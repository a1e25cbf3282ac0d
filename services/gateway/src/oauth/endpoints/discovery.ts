import type { App } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyReply } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, type MetadataField, type MetadataFields, optional, texts } from '../../endpoint/metadata.ts'
import { openToEveryPage } from '../open-document.ts'
import { createOpenResourceScopes } from '../open-resource-scopes.ts'

/** The needs of the metadata documents. */
type DiscoveryDeps = {
  /** Merges the fields that the endpoints tell. */
  metadata(): MetadataFields
  openid: boolean
  scopesSupported: string[]
  /** Whether the scopes of resource servers that are open to registration are among those of the server. */
  resourceIndicators: boolean
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupResourceServers'>
}

/** GET /.well-known/openid-configuration, and the same with more fields at /.well-known/oauth-authorization-server (RFC 8414). */
export const discoveryEndpoint = endpoint({
  name: 'discovery',
  door: 'anybody',
  scoped: true,
  tag: 'Discovery',
  routes: discoveryRoutes,
  metadata: ({
    issuer,
    scopesSupported,
    idTokenAlgorithms,
  }: {
    issuer: string
    scopesSupported: string[]
    /** The algorithms that sign ID tokens; none when the server is no OpenID provider. */
    idTokenAlgorithms: readonly string[]
  }) => ({
    issuer: address(issuer),
    scopes_supported: texts(scopesSupported),
    // OpenID Connect Discovery 1.0 section 3 demands both fields of a document that is served at that address.
    subject_types_supported: texts(['public']),
    id_token_signing_alg_values_supported: texts(
      idTokenAlgorithms.length > 0 ? idTokenAlgorithms : ['HS256'],
    ),
  }),
})

/** The order of the fields of earlier releases, whose documents stay as they are, byte for byte. New fields come after them. */
const order = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'introspection_endpoint',
  'revocation_endpoint',
  'jwks_uri',
  'response_types_supported',
  'grant_types_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
  'scopes_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'registration_endpoint',
  'client_id_metadata_document_supported',
  'userinfo_endpoint',
  'end_session_endpoint',
  'response_modes_supported',
  'claims_supported',
  'acr_values_supported',
  'prompt_values_supported',
  'ui_locales_supported',
  'claims_parameter_supported',
  'request_parameter_supported',
  'request_uri_parameter_supported',
  'backchannel_logout_supported',
  'backchannel_logout_session_supported',
  'introspection_endpoint_auth_methods_supported',
  'revocation_endpoint_auth_methods_supported',
]

/** The fields of RFC 8414 that the document at OpenID's address never had, or not without OpenID Connect. */
const onlyOfOauth = {
  always: ['revocation_endpoint_auth_methods_supported'],
  withoutOpenid: ['registration_endpoint', 'introspection_endpoint_auth_methods_supported'],
}

function inOrder(fields: MetadataFields): [string, MetadataField][] {
  const place = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return Object.entries(fields).sort(([one], [other]) => place(one) - place(other))
}

function discoveryRoutes(app: App, deps: DiscoveryDeps): void {
  const ofOauth = inOrder(deps.metadata())
  const ofOpenid = ofOauth
    .filter(([name]) => !onlyOfOauth.always.includes(name))
    .map(([name, field]): [string, MetadataField] => {
      if (!onlyOfOauth.withoutOpenid.includes(name)) return [name, field]
      return [name, optional(deps.openid ? field : { ...field, value: undefined })]
    })
  const paths = {
    openid: '/.well-known/openid-configuration',
    oauth: '/.well-known/oauth-authorization-server',
  }
  openToEveryPage(app, ...Object.values(paths))
  const withScopes = scopesWith(deps)

  documentRoute(app, {
    url: paths.openid,
    fields: ofOpenid,
    withScopes,
    operationId: 'getOpenidConfiguration',
    summary: 'Server metadata',
    title: 'OpenidConfiguration',
  })
  documentRoute(app, {
    url: paths.oauth,
    fields: ofOauth,
    withScopes,
    operationId: 'getAuthorizationServerMetadata',
    summary: 'Server metadata (RFC 8414)',
    title: 'AuthorizationServerMetadata',
  })
}

type Scopes = { scopes_supported?: string[] }

/** RFC 8414 section 2: the scopes of resource servers that anybody may ask for are among those of the server. */
function scopesWith({ resourceIndicators, clientRegistry, scopesSupported }: DiscoveryDeps) {
  if (!resourceIndicators) return async (document: object): Promise<Scopes> => document
  const openScopes = createOpenResourceScopes(clientRegistry, Date.now)
  return async (document: object): Promise<Scopes> => ({
    ...document,
    scopes_supported: [...new Set([...scopesSupported, ...(await openScopes())])],
  })
}

function documentRoute(
  app: App,
  {
    url,
    fields,
    withScopes,
    title,
    ...words
  }: {
    url: string
    fields: [string, MetadataField][]
    withScopes: (document: object) => Promise<Scopes>
    operationId: string
    summary: string
    title: string
  },
): void {
  const present = fields.filter(([, { value }]) => value !== undefined)
  const document = Object.fromEntries(present.map(([name, { value }]) => [name, value]))
  const schemas = Object.fromEntries(fields.map(([name, { schema }]) => [name, schema]))
  const description = 'The endpoints and capabilities of this server.'
  const send = sendLastMade()
  app.route({
    method: 'GET',
    url,
    schema: {
      ...words,
      response: answers({ 200: Type.Object(schemas, { title, description, examples: [document] }) }),
    },
    handler: async (_request, reply) => send(reply, await withScopes(document)),
  })
}

/** @returns a function that sends a document whose bytes are made anew only when its scopes have changed */
function sendLastMade(): (reply: FastifyReply, document: Scopes) => never {
  let last: { scopes: string | undefined; content: Buffer } | undefined
  return (reply, document) => {
    const scopes = document.scopes_supported?.join(' ')
    if (last === undefined || last.scopes !== scopes)
      last = { scopes, content: Buffer.from(reply.serialize(document) as string) }
    return reply.type('application/json; charset=utf-8').send(last.content) as never
  }
}
