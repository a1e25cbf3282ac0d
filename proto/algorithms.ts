/** The algorithm that signs access tokens (RFC 7518 section 3.1). */
export const accessTokenAlgorithm = 'HS256'
