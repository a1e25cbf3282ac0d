/** The claims that a scope gives at the userinfo endpoint (OpenID Connect Core section 5.4). */
export const claimsOfScopes: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'given_name',
    'family_name',
    'preferred_username',
    'picture',
    'locale',
    'zoneinfo',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
}

/** All claims about a user that clients can get. */
export const userClaims: readonly string[] = Object.values(claimsOfScopes).flat()

/** The only authentication context there is (OpenID Connect Core section 2): one factor. */
export const oneFactor = 'urn:gatehouse:acr:one-factor'
