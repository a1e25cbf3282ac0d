/** In milliseconds: how long a call waits in which the identity service waits 5 s for each of the provider's answers. */
export const providerPatience = 15_000

/** In milliseconds: how long a call waits in which the identity service waits 5 s for a provider in all. */
export const answerPatience = 8_000

/**
 * In milliseconds: how long a call waits in which the token service waits 3 s for the keys of a client. Calls that requests share wait as
 * long.
 */
export const keysPatience = 5_000
