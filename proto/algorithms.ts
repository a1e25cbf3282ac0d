/** What access tokens are signed with (RFC 7518 section 3.1). */
export const accessTokenAlgorithm = 'HS256'
