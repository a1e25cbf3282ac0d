/** How long a person may take at a provider, in seconds. */
export const connectionLoginLifetime = 600

/** The things that can be under way: a login, the linking of an account, or a try that stores nothing. */
export type LoginPurpose = 'login' | 'link' | 'test'

/** Something under way at a provider, as it is stored. */
export type PendingConnectionLogin = {
  connectionId: string
  purpose: LoginPurpose
  /** The user who links their account, or who tries the connection; undefined for a login. */
  userId: string | undefined
  nonce: string
  codeVerifier: string
  /** The private JWK of proofs of possession, encrypted; undefined where the provider takes none. */
  proofKey: Buffer | undefined
  /** In seconds, as it was sent; undefined for none. */
  maxAge: number | undefined
  returnTo: string | undefined
}

/** Stores what is under way. */
export type ConnectionLoginStore = {
  /**
   * Adds what begins. When its network, its user or the connection has as much under way as there may be, the oldest goes.
   * @param login.network that began it
   * @param login.lifetime in seconds
   */
  add(
    login: PendingConnectionLogin & {
      stateDigest: Buffer
      browserDigest: Buffer
      network: string
      lifetime: number
    },
  ): Promise<void>
  /** Removes and returns what is one of these browsers' and has not expired. Only one of two concurrent calls gets it. */
  take(
    stateDigest: Buffer,
    browserDigests: Buffer[],
  ): Promise<(PendingConnectionLogin & { begunAt: Date }) | undefined>
  /** The user of a session by a way of the instance who logged in in the last five minutes, with two factors if they have two. */
  linkingUser(sessionDigest: Buffer): Promise<string | undefined>
  /** The role of a user in an organization; undefined for none. */
  roleIn(organizationId: string, userId: string): Promise<string | undefined>
}
