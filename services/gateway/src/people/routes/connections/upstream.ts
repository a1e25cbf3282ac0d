import { type App, notStored } from '@gatehouse/http/app'
import { answers, unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ConnectionLoginServiceService } from '@gatehouse/proto/connection/v1'
import { isConnectionId } from '@gatehouse/proto/connections'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { publishedKeys } from '../../../oauth/endpoints/key-set.ts'
import { answerPatience } from '../../../services/provider-patience.ts'

/** The needs of what the providers of connections ask. */
export type UpstreamDeps = {
  connectionService: Pick<RpcClient<typeof ConnectionLoginServiceService>, 'endUpstream' | 'getClientKeys'>
}

const parameters = Type.Object({ connection_id: Type.String({ description: 'The id of the connection.' }) })
/** In seconds. A provider that keeps the keys longer does not see that they are others. */
const keptFor = 300

/** POST /auth/connections/{connection_id}/backchannel-logout: a provider says that logins ended (OpenID Connect Back-Channel Logout 1.0). */
export const upstreamLogout = endpoint({
  name: 'logout by a provider',
  door: 'other sites',
  part: organizationParts,
  tag: 'Login',
  routes: logoutRoute,
})

function logoutRoute(app: App, { connectionService }: UpstreamDeps): void {
  app.route({
    method: 'POST',
    url: '/auth/connections/:connection_id/backchannel-logout',
    // A provider sends the logouts of all its users from one address.
    config: { limit: 'upstream_logout' },
    schema: {
      operationId: 'endUpstream',
      summary: 'Back-channel logout by the provider of a connection',
      description:
        'The provider of a connection says that logins ended (OpenID Connect Back-Channel Logout 1.0 section 2.5). They end here too.',
      consumes: ['application/x-www-form-urlencoded'],
      params: parameters,
      body: Type.Object(
        { logout_token: Type.String({ ...unchecked({ minLength: 1 }), description: 'A logout token.' }) },
        { additionalProperties: true, examples: [{ logout_token: '<LOGOUT_TOKEN>' }] },
      ),
      response: answers(
        {
          200: Type.Object({}, { description: 'The logins have ended, if there were any.', examples: [{}] }),
        },
        'invalid_request',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const { connection_id: connectionId } = request.params
      const { logout_token: logoutToken } = request.body
      // Section 2.8: whatever is wrong is the same error. Nobody learns which connections there are.
      const { accepted } = isConnectionId(connectionId)
        ? await connectionService.endUpstream(
            { connectionId, logoutToken },
            { deadline: Date.now() + answerPatience },
          )
        : { accepted: false }
      if (!accepted) throw new Refusal('invalid_request', 'The logout token is invalid.')
      return {}
    },
  })
}

/** GET /auth/connections/{connection_id}/jwks: the keys with which this server authenticates at the provider of a connection. */
export const clientKeys = endpoint({
  name: 'keys of a connection',
  door: 'anybody',
  part: organizationParts,
  tag: 'Discovery',
  routes: keysRoute,
})

function keysRoute(app: App, { connectionService }: UpstreamDeps): void {
  app.route({
    method: 'GET',
    url: '/auth/connections/:connection_id/jwks',
    schema: {
      operationId: 'getClientKeys',
      summary: 'The public keys of a connection',
      description:
        'The provider of the connection checks by them that an assertion is from this server (RFC 7523).',
      params: parameters,
      response: answers({ 200: publishedKeys }, 'not_found'),
    },
    async handler(request, reply) {
      const { connection_id: connectionId } = request.params
      const { jwks } = isConnectionId(connectionId)
        ? await connectionService.getClientKeys({ connectionId })
        : { jwks: undefined }
      if (jwks === undefined) throw new Refusal('not_found')
      reply.header('cache-control', `public, max-age=${keptFor}`)
      return jwks as { keys: never[] }
    },
  })
}
