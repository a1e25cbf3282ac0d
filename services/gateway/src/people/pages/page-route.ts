import type { App } from '@gatehouse/http/app'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A page for people. */
type PageRoute = {
  url: string
  /** Absent where HEAD is answered like GET. */
  exposeHeadRoute?: false
  handler: (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>
}

/** Declares the GET of a page for people, which is not part of the OpenAPI document. */
export function pageRoute(app: App, page: PageRoute): void {
  app.route({ method: 'GET', config: { page: true }, schema: { hide: true }, ...page })
}
