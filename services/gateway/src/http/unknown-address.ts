import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { unreadableTarget } from './request-target.ts'

const methods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const

/**
 * Answers requests without a route before their body is read: 405 with Allow if the path has other methods, else 404. It
 * must be called before the routes are declared, and after the hooks that count such requests.
 */
export function answerUnknownAddresses(app: App): void {
  const urls = new Set<string>()
  const patterns = new Map<string, RegExp>()
  app.addHook('onRoute', ({ url }) => {
    // A route for all addresses that no other route matches makes none of them known.
    if (url.endsWith('*') || url.includes('(')) return
    if (url.includes(':')) patterns.set(url, patternOf(url))
    else urls.add(url)
  })
  const refusalOf = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    if (path === unreadableTarget) return new Refusal('invalid_request', 'The address is malformed.')
    const url = urls.has(path) ? path : [...patterns].find(([, pattern]) => pattern.test(path))?.[0]
    if (url === undefined) return new Refusal('not_found')
    reply.header('allow', methods.filter((method) => app.hasRoute({ method, url })).join(', '))
    return new Refusal('method_not_allowed')
  }
  app.addHook('onRequest', (request, reply, done) => {
    done(request.is404 ? refusalOf(request, reply) : undefined)
  })
  // The plugin that serves files calls this for an unknown file.
  app.setNotFoundHandler(async (request, reply) => {
    throw refusalOf(request, reply)
  })
}

/** A pattern for the paths that the URL of a route with parameters matches. */
function patternOf(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
}
