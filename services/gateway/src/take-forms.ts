import type { App } from '@gatehouse/http/app'
import { parseForm } from '@gatehouse/http/form'

/**
 * Makes a fastify scope take forms only (RFC 6749 section 3.2).
 * @param repeatable a parameter that may be repeated
 */
export function takeForms(scope: App, repeatable?: string): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      try {
        done(null, parseForm(body as string, repeatable))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}
