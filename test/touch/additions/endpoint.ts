import type { Addition } from '../addition.ts'
import { after, newFile } from '../edit.ts'

const server = 'services/gateway/src/server.ts'

/**
 * An endpoint of the gateway over an RPC that there is already: a client pushes an authorization request, as in RFC 9126, and gets the
 * id of the request, which waits for its user. It tells its limit, its part of the server and its field in the metadata documents.
 */
export const endpoint: Addition = {
  name: 'an endpoint over an RPC that there is already',
  goal: 2,
  most: 2,
  asks: [],
  entry: [
    newFile(
      'services/gateway/src/oauth/endpoints/pushed-requests.ts',
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

/** The needs of the endpoint of pushed requests. */
type PushedRequestDeps = {
  tokens: Pick<TokenService, 'beginAuthorization'>
  resourceIndicators: boolean
}

/** POST /oauth/par (RFC 9126 section 2). */
export const pushedRequestEndpoint = endpoint({
  name: 'pushed requests',
  door: 'clients',
  part: openidConnect,
  limit: 'authorize',
  limitByClient: true,
  tag: 'OAuth',
  routes: pushedRequestRoute,
  metadata: ({ issuer }: { issuer: string }) => ({
    pushed_authorization_request_endpoint: address(\`\${issuer}/oauth/par\`),
  }),
})

const pushed = Type.Object(
  { request_uri: Type.String(), expires_in: Type.Integer() },
  { title: 'PushedRequest', description: 'The request waits for its user.', examples: [{ request_uri: 'urn:ietf:params:oauth:request_uri:1', expires_in: 900 }] },
)

function pushedRequestRoute(app: App, { tokens, resourceIndicators }: PushedRequestDeps): void {
  app.route({
    method: 'POST',
    url: '/oauth/par',
    schema: {
      operationId: 'pushAuthorizationRequest',
      summary: 'Push an authorization request',
      consumes: ['application/x-www-form-urlencoded'],
      body: form({}, { response_type: 'code' }),
      response: answers({ 201: pushed }, 'invalid_request', 'invalid_client', 'unauthorized_client', 'invalid_scope'),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const query = new URLSearchParams(request.body as Record<string, string>).toString()
      const received = readAuthorization(query, resourceIndicators)
      const begun = { ...received, user: undefined, dryRun: false, ipAddress: request.ip }
      const { next } = await tokens.beginAuthorization(begun)
      if (next?.step?.$case !== 'logIn') throw new Refusal('invalid_request', 'The request cannot wait for a user.')
      reply.code(201)
      return { request_uri: \`urn:ietf:params:oauth:request_uri:\${next.step.value.flowId}\`, expires_in: 900 }
    },
  })
}
`,
    ),
    after(
      server,
      `import { keySetEndpoint } from './oauth/endpoints/key-set.ts'\n`,
      `import { pushedRequestEndpoint } from './oauth/endpoints/pushed-requests.ts'\n`,
    ),
    after(server, `  revocationEndpoint,\n  userinfoEndpoint,\n`, `  pushedRequestEndpoint,\n`),
  ],
  rest: [],
}
