import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, RouteOptions } from 'fastify'

const tables = new WeakMap<object, RouteOptions[]>()

// By fastify's own announcement, so that no route is missed: not those without documentation either.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  const routes: RouteOptions[] = []
  tables.set(fastify, routes)
  fastify.addHook('onRoute', (route) => void routes.push(route))
})

/** Every route that a server has, once it is ready. */
export function routesOf(app: object): RouteOptions[] {
  return tables.get(app) ?? []
}
