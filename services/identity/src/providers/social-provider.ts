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
}

/** The secrets of a login under way at a provider, in base64url. */
export type LoginSecrets = {
  /** RFC 6749 section 10.12. */
  state: string
  /** OpenID Connect Core section 3.1.2.1. */
  nonce: string
  /** RFC 7636 section 4.1. */
  codeVerifier: string
}

/** A provider where people log in. */
export type SocialProvider = {
  /**
   * The URL to send a browser to for a login.
   * @param again whether to ask the provider to authenticate the person again, although they may be logged in there; not
   *   every provider can be asked
   * @throws ProviderFailure when the provider's metadata are needed and it does not answer
   */
  authorizationUrl(secrets: LoginSecrets, again: boolean): Promise<string>
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
