import type { PendingAuthorization } from '@gatehouse/proto/token/v1'
import { hasPlainHost } from '@gatehouse/proto/web-origins'

/** A client's own addresses, as the consent page shows them. All are https. */
export type ClientAddresses = {
  website: { href: string; host: string } | undefined
  policy: string | undefined
  terms: string | undefined
  /** With the origin that it is loaded from, for the Content-Security-Policy. */
  logo: { href: string; origin: string } | undefined
}

/**
 * Picks the addresses that a page may link to. The logo is only that of a client that an administrator made: anybody could
 * otherwise show the picture of another company, and learn who looks at the page.
 * @param described whether the client describes itself by a metadata document at its id
 */
export function clientAddresses(
  pending: Pick<PendingAuthorization, 'clientUri' | 'policyUri' | 'tosUri' | 'logoUri' | 'selfRegistered'>,
  described: boolean,
): ClientAddresses {
  const website = httpsAddress(pending.clientUri)
  const logo = pending.selfRegistered || described ? undefined : httpsAddress(pending.logoUri)
  return {
    website: website && { href: website.href, host: website.host },
    policy: httpsAddress(pending.policyUri)?.href,
    terms: httpsAddress(pending.tosUri)?.href,
    logo: logo && hasPlainHost(logo) ? { href: logo.href, origin: logo.origin } : undefined,
  }
}

function httpsAddress(text: string | undefined): URL | undefined {
  const url = text === undefined ? null : URL.parse(text)
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url : undefined
}
