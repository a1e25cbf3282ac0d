import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyRequest } from 'fastify'

/**
 * A hook that refuses what another site makes a browser send (cross-site request forgery, login CSRF too). A browser
 * says where a request comes from by `Sec-Fetch-Site`, and by `Origin` on every form that is posted; a caller that
 * sends neither is no browser and has no cookies to abuse.
 * @param issuer where we are found; its origin is ours
 * @throws Refusal access_denied
 */
export function sameOriginOnly(issuer: string) {
  const { origin: ours } = new URL(issuer)
  return async ({ headers }: FastifyRequest): Promise<void> => {
    const site = headers['sec-fetch-site']
    const elsewhere = site !== undefined && site !== 'same-origin' && site !== 'none'
    if (elsewhere || (headers.origin !== undefined && headers.origin !== ours)) {
      throw new Refusal(
        'access_denied',
        `This form was not sent from a page of this server. Open ${ours} and try again there.`,
      )
    }
  }
}
