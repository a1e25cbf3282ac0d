/** A login attempt in a list. */
export type LoginFacts = {
  time: Date | undefined
  userId: string
  username: string
  clientId: string
  ipAddress: string
  /** Where the address is, as far as that is known. */
  place: string | undefined
  browser: string
  method: string
  /** Why it failed, in words; empty when it succeeded. */
  failure: string
}

/** Why a user cannot log in. */
export type UserLogins = {
  problems: readonly {
    explanation: string
    remedy: string
    until: Date | undefined
    /** Empty for any. */
    ipAddress: string
    /** The page with which it can be solved. */
    link: { path: string; text: string } | undefined
  }[]
  lastFailures: readonly LoginFacts[]
}

/** Failed authentications of a client in a list. */
export type ClientFailureFacts = {
  time: Date | undefined
  clientId: string
  /** In words. */
  reason: string
  endpoint: string
  /** Empty for several together. */
  ipAddress: string
  count: string
}
