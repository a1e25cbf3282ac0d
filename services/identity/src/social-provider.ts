/** A person as a provider knows them. */
export type SocialPerson = {
  /** What the provider never gives to anybody else. */
  subject: string
  /** What the user name here may be made of: as they call themselves there, so for no decision. */
  name: string
  /** For people, to tell accounts apart. */
  displayName: string
}

/** What is secret about a login that is under way at a provider, in base64url. */
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
   * Where to send a browser for a login.
   * @throws ProviderFailure when the provider must be asked for that, and does not answer
   */
  authorizationUrl(secrets: LoginSecrets): Promise<string>
  /**
   * Who came back.
   * @param query of the callback, as it came; its `state` is the login's
   * @throws ProviderFailure when nobody did
   */
  person(query: string, secrets: LoginSecrets): Promise<SocialPerson>
}

/** Why nobody came back: the person or the provider said no, the provider is away or slow, its answer is wrong. */
export type ProviderFailureKind = 'denied' | 'unreachable' | 'bad answer'

/** A login at a provider that came to nothing. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  readonly kind: ProviderFailureKind

  /** @param reason for the log: in our own words or a known code, nothing of what was sent or answered */
  constructor(kind: ProviderFailureKind, reason: string) {
    super(reason)
    this.kind = kind
  }
}
