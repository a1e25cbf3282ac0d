/** The algorithms of key pairs, whose public keys are published (RFC 7518 section 3.1; EdDSA with Ed25519: RFC 8037). */
export const keyPairAlgorithms = ['ES256', 'RS256', 'EdDSA', 'PS256'] as const

/** An algorithm of key pairs. */
export type KeyPairAlgorithm = (typeof keyPairAlgorithms)[number]

/** The algorithms that sign access tokens. HS256 signs with the secret or with a key that is derived from it. */
export const signingAlgorithms = ['HS256', ...keyPairAlgorithms] as const

/** An algorithm that signs access tokens. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number]

/** The algorithms of other servers' signatures that count here: never none, and none that a secret makes. */
export const algorithmsOfOthers = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/** The algorithms with which clients sign assertions (RFC 7518 section 3.1; Ed25519 is the newer name of EdDSA with that curve: RFC 9864). */
export const assertionAlgorithms = ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256'] as const

/** An algorithm with which clients sign assertions. */
export type AssertionAlgorithm = (typeof assertionAlgorithms)[number]

/** Whether a value, such as the `alg` of a header, is one of them. */
export function isAssertionAlgorithm(alg: unknown): alg is AssertionAlgorithm {
  return assertionAlgorithms.some((one) => one === alg)
}

/** The values of the variables that say which algorithms are on. */
export type AlgorithmValues = {
  OAUTH2_ACCESS_TOKEN_ALGORITHM: SigningAlgorithm
  OAUTH2_OPENID_ENABLED: boolean
  OAUTH2_ID_TOKEN_ALGORITHMS: string
}

/** The algorithms that sign ID tokens, RS256 among them; none when the server is no OpenID provider. */
export function idTokenAlgorithms(values: Omit<AlgorithmValues, 'OAUTH2_ACCESS_TOKEN_ALGORITHM'>) {
  if (!values.OAUTH2_OPENID_ENABLED) return []
  const named = new Set(values.OAUTH2_ID_TOKEN_ALGORITHMS.split(' '))
  return keyPairAlgorithms.filter((algorithm) => named.has(algorithm))
}

/** The algorithms of key pairs that are on. When there are none, no key is published. */
export function enabledKeyPairAlgorithms(values: AlgorithmValues): KeyPairAlgorithm[] {
  const ofIdTokens = new Set<string>(idTokenAlgorithms(values))
  return keyPairAlgorithms.filter(
    (algorithm) => algorithm === values.OAUTH2_ACCESS_TOKEN_ALGORITHM || ofIdTokens.has(algorithm),
  )
}

/** How long verifiers may use the published key set after it was read, in seconds. A new key pair does not sign before that. */
export const keySetMaxAge = 300
