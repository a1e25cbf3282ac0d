/** The algorithm that signs access tokens (RFC 7518 section 3.1). */
export const accessTokenAlgorithm = 'HS256'

/** The algorithms that can sign ID tokens. The first is the default (OpenID Connect Core section 15.1). */
export const idTokenAlgorithms = ['RS256', 'ES256', 'PS256', 'EdDSA'] as const

/** The name of an algorithm that can sign ID tokens. */
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number]
