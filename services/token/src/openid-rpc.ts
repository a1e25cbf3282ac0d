import { Refusal } from '@gatehouse/kit/errors'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import type { TokenServiceService } from '@gatehouse/proto/token/v1'
import type { ReadIdToken } from './id-token.ts'
import { type UserinfoDeps, userinfo } from './userinfo.ts'

/** What these RPCs need; undefined where OpenID Connect is off. */
export type OpenidRpcDeps = (UserinfoDeps & { readIdToken: ReadIdToken }) | undefined

/** The RPCs of OpenID Connect for tokens that exist. */
export function openidRpcs(
  deps: OpenidRpcDeps,
): Pick<Handlers<typeof TokenServiceService>, 'getUserinfo' | 'readIdToken'> {
  return {
    async getUserinfo({ accessToken }) {
      if (deps === undefined) throw new Refusal('not_found')
      return { claims: JSON.stringify(await userinfo(accessToken, deps)) }
    },

    async readIdToken({ idToken }) {
      const read = await deps?.readIdToken(idToken)
      return read ?? { userId: '', clientId: '', sessionId: '' }
    },
  }
}
