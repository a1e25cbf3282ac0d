import { type App, notStored } from '@gatehouse/http/app'
import { documentFields, documentOf, registeredFields, registrationOf } from '@gatehouse/http/client-document'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { Type } from 'typebox'
import { presentsToken } from '../bearer-token.ts'

const bodyWith = (openid: boolean) =>
  Type.Object(registeredFields(openid), {
    title: 'ClientMetadata',
    examples: [
      { client_name: 'Acme nightly jobs', grant_types: ['client_credentials'], scope: 'read write' },
    ],
  })

const registrationResponse = Type.Object(
  {
    ...documentFields,
    client_secret: Type.Optional(Type.String({ description: 'Shown only once. A public client has none.' })),
    created_at: Type.String({ format: 'date-time' }),
    client_id_issued_at: Type.Integer({ description: 'Seconds since the Unix epoch.' }),
    client_secret_expires_at: Type.Optional(
      Type.Integer({ description: 'When the secret expires; 0 for never.' }),
    ),
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
        token_endpoint_auth_method: 'client_secret_basic',
        created_at: '2026-01-01T00:00:00.000Z',
        client_id_issued_at: 1767225600,
        client_secret_expires_at: 0,
      },
    ],
  },
)

/** Who may register. */
export type RegistrationPolicy = {
  mode: 'open' | 'token' | 'closed'
  token: string | undefined
}

/**
 * POST /clients/register (RFC 7591).
 * @param openid whether clients may register fields of OpenID Connect
 */
export function registerRoute(
  app: App,
  registry: RpcClient<typeof ClientRegistryServiceService>,
  { policy, openid }: { policy: RegistrationPolicy; openid: boolean },
): void {
  app.route({
    method: 'POST',
    url: '/clients/register',
    schema: {
      operationId: 'registerClient',
      summary: 'Register a client',
      security: [{}, { registrationToken: [] }],
      tags: ['Clients'],
      body: bodyWith(openid),
      response: answers(
        { 201: registrationResponse },
        'invalid_request',
        'invalid_scope',
        'invalid_token',
        'access_denied',
        'temporarily_unavailable',
      ),
    },
    onRequest: async (request, reply) => {
      reply.headers(notStored)
      checkPolicy(policy, request.headers.authorization)
    },
    async handler(request, reply) {
      const { body } = request
      const { client, clientSecret } = await registry.registerClient(registrationOf(body))
      if (client?.createdAt === undefined) throw new Error('the client registry gave no client')
      request.clientId = client.clientId
      reply.code(201)
      return {
        ...documentOf(client),
        // RFC 7591 section 3.2.1: client_secret_expires_at is required with a client_secret.
        ...(clientSecret !== '' && { client_secret: clientSecret, client_secret_expires_at: 0 }),
        created_at: client.createdAt.toISOString(),
        client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
      }
    },
  })
}

function checkPolicy({ mode, token }: RegistrationPolicy, authorization: string | undefined): void {
  if (mode === 'open') return
  if (mode === 'closed') throw new Refusal('access_denied', 'Registration is closed: ask an administrator.')
  if (token === undefined || !presentsToken(authorization, token))
    throw new Refusal('invalid_token', 'Registration needs the registration token as a bearer token.')
}
