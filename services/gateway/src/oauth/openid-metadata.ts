import { onlyWhere } from '@gatehouse/http/schemas'
import { oneFactor, twoFactors, userClaims } from '@gatehouse/proto/claims'
import { languageTags } from '@gatehouse/proto/people/languages'
import { presentWith } from '@gatehouse/proto/profiles'
import { Type } from '@gatehouse/proto/typebox'

const only = onlyWhere(presentWith('OAUTH2_OPENID_ENABLED'))
const url = Type.Optional(Type.String({ format: 'uri', ...only }))
const texts = Type.Optional(Type.Array(Type.String(), only))
const flag = Type.Optional(Type.Boolean(only))

/** The fields of OpenID Connect in a metadata document. */
export const openidDocument = {
  userinfo_endpoint: url,
  end_session_endpoint: url,
  response_modes_supported: texts,
  claims_supported: texts,
  acr_values_supported: texts,
  prompt_values_supported: texts,
  ui_locales_supported: texts,
  claims_parameter_supported: flag,
  request_parameter_supported: flag,
  request_uri_parameter_supported: flag,
  backchannel_logout_supported: flag,
  backchannel_logout_session_supported: flag,
}

/**
 * The fields that OpenID Connect adds to a metadata document (OpenID Connect Discovery section 3, RP-Initiated Logout
 * section 2.1, Back-Channel Logout section 2.1).
 * @param registration whether clients can register
 * @param formPost whether clients may ask for the response mode form_post
 */
export function openidMetadata(issuer: string, registration: boolean, formPost: boolean) {
  return {
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    end_session_endpoint: `${issuer}/oauth/logout`,
    ...(registration && { registration_endpoint: `${issuer}/clients/register` }),
    response_modes_supported: formPost ? ['query', 'form_post'] : ['query'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'acr',
      'amr',
      'sid',
      ...userClaims,
    ],
    acr_values_supported: [oneFactor, twoFactors],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: languageTags,
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  }
}
