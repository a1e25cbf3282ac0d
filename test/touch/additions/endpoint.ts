import type { Addition } from '../addition.ts'
import { after, newFile } from '../edit.ts'

const server = 'services/gateway/src/server.ts'

/**
 * An endpoint of the gateway over an RPC that there is already: a device begins an authorization request, as in RFC 8628, and gets the
 * id of the request, which waits for its user. It tells its limit, its part of the server and its field in the metadata documents.
 */
export const endpoint: Addition = {
  name: 'an endpoint over an RPC that there is already',
  goal: 2,
  most: 2,
  asks: [],
  entry: [
    newFile(
      'services/gateway/src/oauth/endpoints/device-requests.ts',
      `import { type App, notStored } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address } from '../../endpoint/metadata.ts'
import { openidConnect } from '../../endpoint/part.ts'
import { form } from '../../http/schemas.ts'
import { readAuthorization } from '../../people/authorization/authorization.ts'
import type { TokenService } from '../../services/token-service.ts'

/** The needs of the endpoint of requests of devices. */
type DeviceRequestDeps = {
  tokens: Pick<TokenService, 'beginAuthorization'>
  resourceIndicators: boolean
}

/** POST /oauth/device (RFC 8628 section 3.1). */
export const deviceRequestEndpoint = endpoint({
  name: 'requests of devices',
  door: 'clients',
  part: openidConnect,
  limit: 'authorize',
  limitByClient: true,
  tag: 'OAuth',
  routes: deviceRequestRoute,
  metadata: ({ issuer }: { issuer: string }) => ({
    device_authorization_endpoint: address(\`\${issuer}/oauth/device\`),
  }),
})

const accepted = Type.Object(
  { device_code: Type.String(), expires_in: Type.Integer() },
  { title: 'DeviceRequest', description: 'The request waits for its user.', examples: [{ device_code: '1', expires_in: 900 }] },
)

function deviceRequestRoute(app: App, { tokens, resourceIndicators }: DeviceRequestDeps): void {
  app.route({
    method: 'POST',
    url: '/oauth/device',
    schema: {
      operationId: 'beginDeviceRequest',
      summary: 'Begin a request of a device',
      consumes: ['application/x-www-form-urlencoded'],
      body: form({}, { response_type: 'code' }),
      response: answers({ 201: accepted }, 'invalid_request', 'invalid_client', 'unauthorized_client', 'invalid_scope'),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const query = new URLSearchParams(request.body as Record<string, string>).toString()
      const received = readAuthorization(query, resourceIndicators)
      const begun = { ...received, user: undefined, dryRun: false, ipAddress: request.ip }
      const { next } = await tokens.beginAuthorization(begun)
      if (next?.step?.$case !== 'logIn') throw new Refusal('invalid_request', 'The request cannot wait for a user.')
      reply.code(201)
      return { device_code: next.step.value.flowId, expires_in: 900 }
    },
  })
}
`,
    ),
    after(
      server,
      `import { keySetEndpoint } from './oauth/endpoints/key-set.ts'\n`,
      `import { deviceRequestEndpoint } from './oauth/endpoints/device-requests.ts'\n`,
    ),
    after(server, `  revocationEndpoint,\n  pushedRequestEndpoint,\n`, `  deviceRequestEndpoint,\n`),
  ],
  rest: [],
}
