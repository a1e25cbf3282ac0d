import type { App } from '@gatehouse/http/app'
import { documentFields, registeredFields, registrationOf } from '@gatehouse/http/client-document'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { publicAuthenticationMethod } from '@gatehouse/proto/client-authentication'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { ownRegistration } from '../../endpoint/part.ts'
import { callerOf } from '../../http/caller.ts'
import {
  dropEmptyFields,
  issuedFields,
  managementFields,
  metadataRoute,
  neverStored,
  type RegistrationRouteDeps,
  registrationBody,
} from '../client-registration.ts'
import { bearerTokenIn } from '../presented.ts'

const url = '/clients/register/:client_id'
const params = Type.Object({ client_id: Type.String() })
const registration = Type.Object(
  { ...documentFields, ...issuedFields, ...managementFields },
  {
    title: 'ClientRegistration',
    description: 'The client, without its secret.',
    examples: [
      {
        client_id: '<CLIENT_ID>',
        client_name: 'Acme',
        redirect_uris: ['https://app.example/cb'],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        scope: 'read',
        token_endpoint_auth_method: publicAuthenticationMethod,
        created_at: '2026-01-01T00:00:00.000Z',
        client_id_issued_at: 1767225600,
        registration_client_uri:
          'https://auth.example.net/clients/register/client_9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f',
        registration_access_token: '<REGISTRATION_ACCESS_TOKEN>',
      },
    ],
  },
)
const shared = { security: [{ registrationAccessToken: [] }], params }

/** Fields of the answer that a client may not send back (RFC 7592 section 2.2). */
const answerOnly = [
  'registration_access_token',
  'registration_client_uri',
  'client_secret_expires_at',
  'client_id_issued_at',
]

/** GET, PUT and DELETE /clients/register/{client_id}: a client manages its own registration (RFC 7592). */
export const clientConfigurationEndpoint = endpoint({
  name: 'client configuration',
  door: 'programs',
  part: ownRegistration,
  tag: 'Clients',
  routes: clientConfigurationRoutes,
})

/** The needs of the client configuration endpoint. */
type ClientConfigurationDeps = RegistrationRouteDeps & {
  clientRegistry: Pick<
    RpcClient<typeof ClientRegistryServiceService>,
    'getRegisteredClient' | 'replaceRegisteredClient' | 'deleteRegisteredClient'
  >
}

function clientConfigurationRoutes(
  app: App,
  { clientRegistry, registration: policy, openid, authenticationMethods, issuer }: ClientConfigurationDeps,
): void {
  const shown = (request: Request, client: Parameters<typeof registrationBody>[0]) =>
    registrationBody(client, accessOf(request).registrationAccessToken, issuer)

  app.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    onRequest: neverStored,
    schema: {
      operationId: 'getClientRegistration',
      summary: 'Read a client’s own registration (RFC 7592)',
      ...shared,
      response: answers({ 200: registration }, 'invalid_token', 'access_denied'),
    },
    async handler(request) {
      const { client } = await clientRegistry.getRegisteredClient({ access: accessOf(request) })
      return shown(request, client)
    },
  })

  app.route({
    method: 'PUT',
    url,
    ...metadataRoute,
    preValidation: dropEmptyFields,
    onRequest: neverStored,
    schema: {
      operationId: 'replaceClientRegistration',
      summary: 'Replace a client’s own registration (RFC 7592)',
      description: 'Absent fields get their defaults.',
      ...shared,
      body: Type.Object(
        {
          ...registeredFields(openid, authenticationMethods),
          client_id: Type.String({ description: 'The id of the client.' }),
          client_secret: Type.Optional(
            Type.String({ description: 'Not needed; if it is sent, it must be the secret of the client.' }),
          ),
        },
        {
          title: 'ClientReplacement',
          examples: [{ client_id: '<CLIENT_ID>', redirect_uris: ['https://app.example/cb'] }],
        },
      ),
      response: answers(
        { 200: registration },
        'invalid_redirect_uri',
        'invalid_client_metadata',
        'invalid_token',
        'access_denied',
      ),
    },
    async handler(request) {
      const access = accessOf(request)
      if (policy.mode === 'closed')
        throw new Refusal(
          'access_denied',
          'Registration is closed: ask an administrator to change the client.',
        )
      const { body } = request
      const sent = answerOnly.find((name) => Object.hasOwn(body, name))
      if (sent !== undefined) throw new Refusal('invalid_client_metadata', `${sent} must not be sent.`)
      if (body.client_id !== access.clientId)
        throw new Refusal('invalid_client_metadata', 'client_id must be that of the address.')
      const { client } = await clientRegistry.replaceRegisteredClient({
        access,
        registration: registrationOf(body),
        clientSecret: body.client_secret,
      })
      return shown(request, client)
    },
  })

  app.route({
    method: 'DELETE',
    url,
    onRequest: neverStored,
    schema: {
      operationId: 'deleteClientRegistration',
      summary: 'Delete a client’s own registration (RFC 7592)',
      description: 'The codes and tokens of the client are revoked.',
      ...shared,
      response: answers(
        { 204: Type.Null({ description: 'The client is deleted.' }) },
        'invalid_token',
        'access_denied',
      ),
    },
    async handler(request, reply) {
      await clientRegistry.deleteRegisteredClient({ access: accessOf(request) })
      return reply.code(204).send(null)
    },
  })
}

type Request = Pick<FastifyRequest, 'headers' | 'body' | 'ip'> & { params: { client_id: string } }

/** @throws Refusal invalid_token when the request has no bearer token */
function accessOf(request: Request) {
  const { client_id: clientId } = request.params
  const registrationAccessToken = bearerTokenIn(request)
  if (registrationAccessToken === undefined)
    throw new Refusal('invalid_token', 'The registration access token is needed as a bearer token.')
  return { clientId, registrationAccessToken, ...callerOf(request) }
}
