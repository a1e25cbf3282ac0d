import { type App, notStored } from '@gatehouse/http/app'
import { documentFields, registeredFields, registrationOf } from '@gatehouse/http/client-document'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { defaultAuthenticationMethod } from '@gatehouse/proto/client-authentication'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, optional } from '../../endpoint/metadata.ts'
import {
  dropEmptyFields,
  issuedFields,
  managementFields,
  metadataRoute,
  type RegistrationPolicy,
  type RegistrationRouteDeps,
  registrationBody,
} from '../client-registration.ts'
import { presentsToken } from '../presented.ts'

const bodyWith = (openid: boolean, methods: readonly string[]) =>
  Type.Object(registeredFields(openid, methods), {
    title: 'ClientMetadata',
    description: 'Null, an empty text and an empty list count as absent.',
    examples: [
      { client_name: 'Acme nightly jobs', grant_types: ['client_credentials'], scope: 'read write' },
    ],
  })

const registrationResponse = Type.Object(
  {
    // The order of the fields is that of the answer.
    ...documentFields,
    client_secret: Type.Optional(Type.String({ description: 'Shown only once. A public client has none.' })),
    ...issuedFields,
    client_secret_expires_at: Type.Optional(
      Type.Integer({ description: 'When the secret expires; 0 for never.' }),
    ),
    ...managementFields,
  },
  {
    title: 'RegisteredClient',
    description: 'The client, and its secret.',
    examples: [
      {
        client_id: '<CLIENT_ID>',
        client_secret: '<CLIENT_SECRET>',
        client_name: 'Acme nightly jobs',
        redirect_uris: [],
        grant_types: ['client_credentials'],
        scope: 'read write',
        token_endpoint_auth_method: defaultAuthenticationMethod,
        created_at: '2026-01-01T00:00:00.000Z',
        client_id_issued_at: 1767225600,
        client_secret_expires_at: 0,
      },
    ],
  },
)

/** The needs of the registration endpoint. */
type RegisterDeps = RegistrationRouteDeps & {
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'registerClient'>
}

/** POST /clients/register (RFC 7591). */
export const registrationEndpoint = endpoint({
  name: 'registration',
  door: 'programs',
  tag: 'Clients',
  routes: registerRoute,
  metadata: ({ issuer, registration }: Pick<RegisterDeps, 'issuer' | 'registration'>) => {
    const url = registration.mode === 'closed' ? undefined : `${issuer}/clients/register`
    const description = 'Absent where `OAUTH2_REGISTRATION` is `closed`.'
    return { registration_endpoint: optional(address(url, { description })) }
  },
})

function registerRoute(
  app: App,
  { clientRegistry, registration: policy, openid, authenticationMethods, issuer }: RegisterDeps,
): void {
  app.route({
    method: 'POST',
    url: '/clients/register',
    ...(policy.full && metadataRoute),
    preValidation: dropEmptyFields,
    schema: {
      operationId: 'registerClient',
      summary: 'Register a client',
      security: [{}, { registrationToken: [] }],
      body: bodyWith(openid, authenticationMethods),
      response: answers(
        { 201: registrationResponse },
        'invalid_request',
        'invalid_scope',
        'invalid_redirect_uri',
        'invalid_client_metadata',
        'invalid_token',
        'access_denied',
        'temporarily_unavailable',
      ),
    },
    onRequest: async (request, reply) => {
      reply.headers(notStored)
      checkPolicy(policy, request)
    },
    async handler(request, reply) {
      const { body } = request
      const registered = await clientRegistry.registerClient(registrationOf(body))
      const { client, clientSecret, registrationAccessToken } = registered
      request.clientId = client?.clientId
      const answer = registrationBody(client, registrationAccessToken, issuer)
      reply.code(201)
      return {
        ...answer,
        // RFC 7591 section 3.2.1: client_secret_expires_at is required with a client_secret.
        ...(clientSecret !== undefined && { client_secret: clientSecret, client_secret_expires_at: 0 }),
      }
    },
  })
}

function checkPolicy({ mode, token }: RegistrationPolicy, request: FastifyRequest): void {
  if (mode === 'open') return
  if (mode === 'closed') throw new Refusal('access_denied', 'Registration is closed: ask an administrator.')
  if (token === undefined || !presentsToken(request, token))
    throw new Refusal('invalid_token', 'Registration needs the registration token as a bearer token.')
}
