/**
 * Finds the link of a mail. It stands in a line of its own; anything else may be what somebody has chosen as their name.
 * @returns an address that begins with http: or https:, or undefined
 */
export function linkIn(text: string): string | undefined {
  const [link] = /^https?:\/\/\S+$/m.exec(text) ?? []
  return link !== undefined && URL.canParse(link) ? link : undefined
}
