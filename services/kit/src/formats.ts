const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether a text is a UUID in lower case, as Gatehouse writes them (RFC 9562 section 4). */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

const secret = /^[\w-]{43}$/

/** Whether a text is 256 bits in base64url without padding: the form of secrets, tokens and SHA-256 hashes here. */
export function isSecret(text: string): boolean {
  return secret.test(text)
}
