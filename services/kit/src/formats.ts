const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether a text is a UUID as ours are written, in lower case (RFC 9562 section 4). */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

const secret = /^[\w-]{43}$/

/** Whether a text is 256 bits in base64url without padding, as our secrets, tokens and a SHA-256 are written. */
export function isSecret(text: string): boolean {
  return secret.test(text)
}
