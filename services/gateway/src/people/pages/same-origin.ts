import type { FastifyRequest } from 'fastify'
import { TranslatedRefusal } from './translated-refusal.ts'

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
    const site = headers['sec-fetch-site']
    const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (elsewhere || (headers.origin !== undefined && headers.origin !== ours)) {
      throw new TranslatedRefusal('access_denied', (t) => t.error.otherSite(ours))
    }
  }
}
