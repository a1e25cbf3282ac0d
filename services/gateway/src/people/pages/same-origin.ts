import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { TranslatedRefusal } from './translated-refusal.ts'

/** Whether another site makes a browser send a request, by `Sec-Fetch-Site` and `Origin`. @param ours our own origin */
function isFromElsewhere({ 'sec-fetch-site': site, origin }: IncomingHttpHeaders, ours: string): boolean {
  const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
  return elsewhere || (origin !== undefined && origin !== ours)
}

/**
 * Whether a link of another site leads to a page. Browsers without `Sec-Fetch-Site` say it in `Referer`.
 * @param issuer the public base URL
 */
export function followsForeignLink({ headers }: Pick<FastifyRequest, 'headers'>, issuer: string): boolean {
  const { origin: ours } = new URL(issuer)
  if (headers['sec-fetch-site'] !== undefined || headers.referer === undefined)
    return isFromElsewhere(headers, ours)
  return isFromElsewhere(headers, ours) || URL.parse(headers.referer)?.origin !== ours
}

/**
 * Creates a hook that refuses what another site makes a browser send (cross-site request forgery, also at the login). A
 * browser says where a request comes from in `Sec-Fetch-Site`, and in `Origin` for every posted form. A caller that sends
 * neither is not a browser and has no cookies to abuse.
 * @param issuer the public base URL
 * @throws Refusal access_denied
 */
export function sameOriginOnly(issuer: string) {
  const { origin: ours } = new URL(issuer)
  return async ({ headers }: FastifyRequest): Promise<void> => {
    if (isFromElsewhere(headers, ours))
      throw new TranslatedRefusal('access_denied', (t) => t.error.otherSite(ours))
  }
}
