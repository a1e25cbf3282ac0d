import { onlyWhere } from '@gatehouse/http/schemas'
import { assertionAlgorithms } from '@gatehouse/proto/algorithms'
import {
  advertisedAuthenticationMethods,
  authenticationMethods,
  type ClientAuthenticationMethod,
  signsAssertions,
} from '@gatehouse/proto/client-authentication'
import { presentWithWord } from '@gatehouse/proto/profiles'
import { Type } from '@gatehouse/proto/typebox'
import { type MetadataFields, optional, texts } from '../endpoint/metadata.ts'

/** The methods by which clients authenticate at this server. */
export type AuthenticationDeps = { authenticationMethods: readonly ClientAuthenticationMethod[] }

const withAssertions = presentWithWord(
  'OAUTH2_CLIENT_AUTH_METHODS',
  ...authenticationMethods.filter(signsAssertions),
)

/**
 * The metadata of an endpoint at which clients authenticate (RFC 8414 section 2).
 * @param endpoint the beginning of the names of its fields
 * @param enabled the methods that are on
 */
export function authenticationMetadata(
  endpoint: 'token' | 'introspection' | 'revocation',
  enabled: readonly ClientAuthenticationMethod[],
): MetadataFields {
  const algorithms = enabled.some(signsAssertions) ? assertionAlgorithms : undefined
  return {
    [`${endpoint}_endpoint_auth_methods_supported`]: texts(advertisedAuthenticationMethods(enabled)),
    [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: optional({
      schema: Type.Array(Type.String(), onlyWhere(withAssertions, 'The algorithms of assertions.')),
      value: algorithms,
    }),
  }
}
