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

/** All routes of a server that is ready. */
export function routesOf(app: object): RouteOptions[] {
  return tables.get(app) ?? []
}
