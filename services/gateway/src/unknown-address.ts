import { Refusal } from '@gatehouse/kit/errors'
import type { App } from './app.ts'
import { unreadableTarget } from './request-target.ts'

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const

/**
 * Answers requests that no route takes: 405 with Allow where the address has other methods, else 404. To be called before the
 * routes are declared.
 */
export function answerUnknownAddresses(app: App): void {
  const urls = new Set<string>()
  app.addHook('onRoute', ({ url }) => void urls.add(url))
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (path === unreadableTarget) throw new Refusal('invalid_request', 'The address is malformed.')
    const url = urls.has(path)
      ? path
      : [...urls].find((url) => url.includes(':') && patternOf(url).test(path))
    if (url === undefined) throw new Refusal('not_found')
    reply.header('allow', methods.filter((method) => app.hasRoute({ method, url })).join(', '))
    throw new Refusal('method_not_allowed')
  })
}

/** What the URL of a route with parameters matches. */
function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}
