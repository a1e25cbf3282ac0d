import type { IssueTokenRequest } from '@gatehouse/proto/token/v1'
import type { TokenRequest } from './grants/table.ts'

/**
 * Translates a request of a gateway of release 0.2.0, which has a case for each grant, into the current form. The release
 * after this one removes this.
 */
export function readReleasedGrant({
  grant,
}: IssueTokenRequest): Pick<TokenRequest, 'grantType' | 'parameters' | 'ipAddress'> {
  switch (grant?.$case) {
    case 'authorizationCode': {
      const { code, codeVerifier, redirectUri } = grant.value
      return {
        grantType: 'authorization_code',
        parameters: {
          code,
          code_verifier: codeVerifier,
          ...(redirectUri !== '' && { redirect_uri: redirectUri }),
        },
        ipAddress: '',
      }
    }
    case 'refreshToken': {
      const { refreshToken, scope } = grant.value
      return { grantType: 'refresh_token', parameters: { refresh_token: refreshToken, scope }, ipAddress: '' }
    }
    case 'password': {
      const { ipAddress, ...parameters } = grant.value
      return { grantType: 'password', parameters, ipAddress }
    }
    default:
      return { grantType: '', parameters: {}, ipAddress: '' }
  }
}
