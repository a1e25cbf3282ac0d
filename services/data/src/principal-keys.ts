const uuidLike = /^(?:urn:uuid:)?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/

/**
 * The texts that stand for the id or name of a user or client when it is compared with that of another: in lower case, in the normal
 * form NFKC, and for a UUID all spellings that programs read as the same one (RFC 9562 section 4). Two names that share a text may be
 * taken for one another.
 */
export function principalKeys(name: string): string[] {
  const key = name.normalize('NFKC').toLowerCase()
  const parts = uuidLike.exec(key)?.slice(1)
  if (parts === undefined) return [key]
  const uuid = parts.join('-')
  return [uuid, parts.join(''), `urn:uuid:${uuid}`]
}
