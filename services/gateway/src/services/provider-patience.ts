/** In milliseconds: how long a call waits in which the identity service waits 5 s for each of the provider's answers. */
export const providerPatience = 15_000

/** In milliseconds: how long a call waits in which the identity service waits 5 s for a provider in all. */
export const answerPatience = 8_000
