const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether a text is a UUID in lower case, as Gatehouse writes them (RFC 9562 section 4). */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/**
 * The one way in which ids in addresses are read: a UUID in any case of its letters, and no other spelling (RFC 9562 section 4).
 * @returns the UUID as Gatehouse writes it; undefined for anything else
 */
export function canonicalUuid(text: string): string | undefined {
  const lower = text.toLowerCase()
  return isUuid(lower) ? lower : undefined
}

const moment = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

/** Whether a text is a time by RFC 3339 section 5.6, on a day that there is: `Date.parse` alone reads 30 February as 2 March. */
export function isMoment(text: string): boolean {
  const [, day] = moment.exec(text) ?? []
  if (day === undefined || Number.isNaN(Date.parse(text))) return false
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}

const secret = /^[\w-]{43}$/

/** Whether a text is 256 bits in base64url without padding: the form of secrets, tokens and SHA-256 hashes here. */
export function isSecret(text: string): boolean {
  return secret.test(text)
}
