import type { App } from '@gatehouse/http/app'

/**
 * Forbids caches to keep a redirect (RFC 9111 section 5.2.2.5): where the browser is sent depends on its session, and a redirect that
 * a cache or the browser's history gives again would be of an earlier one.
 */
export function forbidCachingOfRedirects(app: App): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isRedirect(reply.statusCode) && !reply.hasHeader('cache-control'))
      reply.header('cache-control', 'no-store')
    done(null, payload)
  })
}

const isRedirect = (status: number) => status === 302 || status === 303 || status === 307
