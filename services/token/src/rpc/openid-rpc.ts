import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import { checkLogout, type LogoutRequestDeps } from '../openid/logout-request.ts'
import { type UserinfoDeps, userinfo } from '../tokens/userinfo.ts'

/** The needs of these RPCs; undefined where OpenID Connect is off. */
export type OpenidRpcDeps = (UserinfoDeps & LogoutRequestDeps) | undefined

/** The RPCs of OpenID Connect for users who are logged in. */
export function openidRpcs(deps: OpenidRpcDeps) {
  return handlersOf(TokenServiceService, {
    async getUserinfo({ accessToken }) {
      if (deps === undefined) throw new Refusal('not_found')
      return { claims: JSON.stringify(await userinfo(accessToken, deps)) }
    },

    async checkLogout(request) {
      if (deps === undefined) throw new Refusal('not_found')
      const { client, hint } = await checkLogout(request, deps)
      return {
        clientId: client?.clientId,
        clientName: client?.clientName,
        userId: hint?.userId,
        sessionId: hint?.sessionId,
        redirectsUnasked: client?.createdBy === 'administrator',
      }
    },
  })
}
