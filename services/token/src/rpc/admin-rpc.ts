import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  type AccessToken as AccessTokenMessage,
  type EndTokenRequest,
  type EndTokensOfRequest,
  type ListAccessTokensRequest,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'
import {
  endToken,
  endTokensOf,
  type ListedOf,
  type ListedToken,
  listTokens,
  type TokenAdministrationDeps,
  type TokenOwner,
} from '../administration/token-administration.ts'
import type { TokenMetrics } from '../metrics.ts'
import { issuedAt } from '../tokens/token-id.ts'

/** The needs of the domain functions behind the administrative RPCs. */
export type AdminRpcDeps = TokenAdministrationDeps & { metrics: Pick<TokenMetrics, 'revoked'> }

/** The RPCs for administrators. The gateway calls them and names the administrator. */
export function adminRpcs(deps: AdminRpcDeps) {
  return handlersOf(tokenService, {
    async listAccessTokens({ of, cursor, limit }) {
      const { tokens, nextCursor } = await listTokens({ of: toListed(of), cursor, limit }, deps)
      return { tokens: tokens.map(toMessage), nextCursor }
    },

    async endToken({ which, actor }) {
      if (await endToken(toWhich(which), readActor(actor), deps)) deps.metrics.revoked()
      return {}
    },

    async endTokensOf({ of: named, actor }) {
      const owner = toOwner(named)
      if (owner === undefined) throw new Refusal('invalid_request', 'The client or the user is missing.')
      await endTokensOf(owner, readActor(actor), deps)
      return {}
    },
  })
}

function toListed(of: ListAccessTokensRequest['of']): ListedOf | undefined {
  return of?.$case === 'jti' ? { kind: 'jti', id: of.value } : toOwner(of)
}

function toOwner(of: EndTokensOfRequest['of']): TokenOwner | undefined {
  return of && { kind: of.$case === 'clientId' ? 'client' : 'user', id: of.value }
}

function toWhich(which: EndTokenRequest['which']) {
  if (which === undefined) throw new Refusal('invalid_request', 'The token is missing.')
  if (which.$case === 'token') return { token: which.value }
  return { key: { jti: which.value.jti, expiresAt: which.value.exp } }
}

function toMessage({ expiresAt, ...token }: ListedToken): AccessTokenMessage {
  return {
    ...token,
    issuedAt: issuedAt(token.jti),
    expiresAt: new Date(expiresAt * 1000),
  }
}
