import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './app.ts'
import { unreadableTarget } from './request-target.ts'

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const

/**
 * Answers requests that no route takes before their body is looked at: 405 with Allow where the address has other methods,
 * else 404. To be called before the routes are declared, and after the hooks that count such requests.
 */
export function answerUnknownAddresses(app: App): void {
  const urls = new Set<string>()
  const patterns = new Map<string, RegExp>()
  app.addHook('onRoute', ({ url }) => {
    if (url.includes(':')) patterns.set(url, patternOf(url))
    else urls.add(url)
  })
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (path === unreadableTarget) throw new Refusal('invalid_request', 'The address is malformed.')
    const url = urls.has(path) ? path : [...patterns].find(([, pattern]) => pattern.test(path))?.[0]
    if (url === undefined) throw new Refusal('not_found')
    reply.header('allow', methods.filter((method) => app.hasRoute({ method, url })).join(', '))
    throw new Refusal('method_not_allowed')
  }
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) await refuse(request, reply)
  })
  // What serves files comes here by itself.
  app.setNotFoundHandler(refuse)
}

/** What the URL of a route with parameters matches. */
function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}
