import type { Site } from '@gatehouse/test/browser/browser-login'
import { send, type Way } from './gateway.ts'

/**
 * The gateway as the site of a browser.
 * @param baseUrl its public address, whose name need not resolve
 * @param way the way there, by default the Service
 */
export function siteThrough(baseUrl: string, way?: Way): Site {
  return {
    baseUrl,
    async answer(request) {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'GET' ? undefined : await request.text()
      const { status, headers, text } = await send(`${pathname}${search}`, {
        ...(way && { way }),
        ...(body !== undefined && { body }),
        method: request.method,
        headers: Object.fromEntries(request.headers),
      })
      const received = Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().map((value): [string, string] => [name, String(value)]),
      )
      return new Response(text || null, { status, headers: received })
    },
  }
}
