import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

const tables = new WeakMap<object, RouteOptions[]>()

// Collected when fastify announces them, so that no route is missed, even an undocumented one.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  const routes: RouteOptions[] = []
  tables.set(fastify, routes)
  fastify.addHook('onRoute', (route) => void routes.push(route))
})

/** An address that the URL of a route matches. @param values of its parameters, if any will not do */
export function addressOf(url: string, values: Readonly<Record<string, string>> = {}): string {
  return url.replaceAll(/:(\w+)(\(.*\))?/g, (_, name: string) => values[name] ?? 'x').replace(/\*$/, 'x/x')
}

/** All routes of a server that is ready. */
export function routesOf(app: object): RouteOptions[] {
  return tables.get(app) ?? []
}
