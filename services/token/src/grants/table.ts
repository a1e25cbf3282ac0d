import { Refusal } from '@gatehouse/kit/errors'
import {
  authenticateClient,
  type Client,
  type ClientIdentificationDeps,
  identifyClient,
  isPublic,
  type PresentedCredentials,
} from '../client-authentication.ts'
import type { IssuedToken } from '../issued-token.ts'
import * as authorizationCode from './authorization-code.ts'
import * as password from './password.ts'
import * as refreshToken from './refresh-token.ts'

/** What the grants of the table need together. */
export type GrantDeps = ClientIdentificationDeps &
  authorizationCode.AuthorizationCodeGrantDeps &
  refreshToken.RefreshTokenGrantDeps &
  password.PasswordGrantDeps & {
    /** OAUTH2_PASSWORD_GRANT_ENABLED. */
    passwordGrantEnabled: boolean
  }

/** Each grant's own parameters. */
export type GrantParameters = {
  authorizationCode: authorizationCode.AuthorizationCodeParameters
  refreshToken: refreshToken.RefreshTokenParameters
  password: password.PasswordParameters
}

type Grant<Parameters> = {
  grantType: string
  isEnabled(deps: GrantDeps): boolean
  /** Whether a client without a secret may use it: not where what it presents is bound to no client. */
  publicMayUse: boolean
  issue(client: Client, parameters: Parameters, deps: GrantDeps): Promise<IssuedToken>
}

/** The grants that one call issues one token by. */
export const grants: { [Name in keyof GrantParameters]: Grant<GrantParameters[Name]> } = {
  authorizationCode: {
    grantType: authorizationCode.grantType,
    isEnabled: () => true,
    publicMayUse: true,
    issue: authorizationCode.issueByAuthorizationCode,
  },
  refreshToken: {
    grantType: refreshToken.grantType,
    isEnabled: (deps) => deps.refreshTokens.enabled,
    publicMayUse: true,
    issue: refreshToken.issueByRefreshToken,
  },
  password: {
    grantType: password.grantType,
    isEnabled: (deps) => deps.passwordGrantEnabled,
    publicMayUse: false,
    issue: password.issueByPassword,
  },
}

/**
 * Issues a token by one of the grants: is it on, who asks, may he, and then the grant itself.
 * @param name of the grant in the table
 * @throws Refusal unsupported_grant_type, invalid_client, unauthorized_client, and what the grant says
 */
export async function issueByGrant<Name extends keyof GrantParameters>(
  name: Name,
  parameters: GrantParameters[Name],
  credentials: readonly PresentedCredentials[],
  deps: GrantDeps,
): Promise<IssuedToken> {
  const { grantType, isEnabled, publicMayUse, issue } = grants[name]
  if (!isEnabled(deps)) {
    throw new Refusal('unsupported_grant_type', `The grant ${grantType} is switched off on this server.`)
  }
  const client = await (publicMayUse ? identifyClient : authenticateClient)(credentials, deps)
  if (!client.grantTypes.has(grantType)) {
    throw new Refusal('unauthorized_client', `The client is not registered for the grant ${grantType}.`)
  }
  if (!isPublic(client)) deps.emit('client_validated', { clientId: client.clientId, metadata: {} })
  return issue(client, parameters, deps)
}
