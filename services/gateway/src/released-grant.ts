import type { GrantType } from '@gatehouse/proto/grants'
import type { IssueTokenRequest } from '@gatehouse/proto/token/v1'

/**
 * A grant in the form that a token service of 0.2.0 understands, which may still run during an upgrade. The next release
 * removes this.
 */
export function releasedGrant(
  grantType: GrantType,
  parameters: Readonly<Record<string, string>>,
  ipAddress: string,
): IssueTokenRequest['grant'] {
  const { code = '', code_verifier: codeVerifier = '', redirect_uri: redirectUri = '' } = parameters
  const { refresh_token: refreshToken = '', username = '', password = '', scope = '' } = parameters
  switch (grantType) {
    case 'authorization_code':
      return { $case: 'authorizationCode', value: { code, codeVerifier, redirectUri } }
    case 'refresh_token':
      return { $case: 'refreshToken', value: { refreshToken, scope } }
    case 'password':
      return { $case: 'password', value: { username, password, scope, ipAddress } }
    default:
      return undefined
  }
}
