import type { JWK } from 'openid-client'
import type { EndedUpstream } from '../logins/ended-upstream.ts'

/** A person as a provider knows them. */
export type SocialPerson = {
  /** Identifies the person; the provider never gives it to anybody else. */
  subject: string
  /** Suggests a user name. The person chose it at the provider, so no decision may rest on it. */
  name: string
  /** Helps people tell accounts apart. */
  displayName: string
  /** The claims of the provider about the person, by the names of OpenID Connect Core section 5.1; not validated. */
  claims: Readonly<Record<string, unknown>>
  /** The login as the provider tells of it. */
  login: UpstreamLogin
}

/** A login at a provider. All of it comes from the provider, over a connection to it or with its signature. */
export type UpstreamLogin = {
  issuer: string
  /** When the person authenticated there, in seconds since the Unix epoch; undefined if it did not say. */
  authenticatedAt: number | undefined
  acr: string | undefined
  /** RFC 8176; empty if it did not say. */
  methods: readonly string[]
  /** Its `sid` (OpenID Connect Back-Channel Logout 1.0); undefined if it has none. */
  session: string | undefined
}

/** The secrets of a login under way at a provider, in base64url. */
export type LoginSecrets = {
  /** RFC 6749 section 10.12. */
  state: string
  /** OpenID Connect Core section 3.1.2.1. */
  nonce: string
  /** RFC 7636 section 4.1. */
  codeVerifier: string
  /** The private JWK that proves possession (RFC 9449); absent where the provider takes no proofs. */
  proofKey?: JWK | undefined
}

/** Wishes for a login, as far as the provider can be asked for them. */
export type LoginWishes = {
  /** Whether to authenticate the person again, although they may be logged in there. */
  again: boolean
  /** How long ago they may have logged in there, in seconds; absent for any time. */
  maxAge?: number | undefined
  /** Space-separated; absent for any. */
  acrValues?: string | undefined
  /** The address or the name that the provider's page may show. */
  loginHint?: string | undefined
}

/** A provider where people log in. */
export type SocialProvider = {
  /**
   * The URL to send a browser to for a login.
   * @throws ProviderFailure when the provider's metadata are needed and it does not answer
   */
  authorizationUrl(secrets: LoginSecrets, wishes: LoginWishes): Promise<string>
  /** Whether it takes proofs of possession; absent: no. @throws ProviderFailure as authorizationUrl */
  takesProofs?(): Promise<boolean>
  /**
   * The logins of which a logout token says that they ended; absent: it sends none.
   * @throws ProviderFailure for a token that is wrong
   */
  endedBy?(logoutToken: string): Promise<EndedUpstream>
  /**
   * The person who logged in at the provider.
   * @param query the callback's query, unchanged; the caller has checked its `state`
   * @throws ProviderFailure when the login failed
   */
  person(query: string, secrets: LoginSecrets): Promise<SocialPerson>
}

/** Why a login failed: the person or the provider denied it, the provider is away or slow, or its answer is wrong. */
export type ProviderFailureKind = 'denied' | 'unreachable' | 'bad answer'

/** A failed login at a provider. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly kind: ProviderFailureKind

  /** @param reason for the log: our own words or a known code, never text that was sent or received */
  constructor(kind: ProviderFailureKind, reason: string) {
    super(reason)
    this.kind = kind
  }
}
