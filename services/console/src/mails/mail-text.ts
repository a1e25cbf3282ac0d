/**
 * Finds the link of a mail that leads to this server. It stands in a line of its own; anything else may be what somebody has chosen
 * as their name, which is text of a stranger.
 * @param issuer the public base URL
 * @returns an address under the public base URL, or undefined
 */
export function linkIn(text: string, issuer: string): string | undefined {
  const base = issuer.endsWith('/') ? issuer : `${issuer}/`
  const links = text.match(/^https?:\/\/\S+$/gm) ?? []
  return links.find((link) => URL.canParse(link) && new URL(link).href.startsWith(new URL(base).href))
}
