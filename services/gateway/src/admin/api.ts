import type { App } from '../app.ts'
import type { AdminDeps } from './deps.ts'
import { auditRoutes } from './routes/audit.ts'
import { clientRoutes } from './routes/clients.ts'
import { eventRoutes } from './routes/events.ts'
import { keyRoutes } from './routes/keys.ts'
import { statusRoute } from './routes/status.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { trafficRoute } from './routes/traffic.ts'
import { userSessionRoutes } from './routes/user-sessions.ts'
import { userRoutes } from './routes/users.ts'

/** The administrators' API, in JSON. */
export function adminApi(app: App, deps: AdminDeps): void {
  takeJson(app)
  clientRoutes(app, deps)
  tokenRoutes(app, deps)
  userRoutes(app, deps)
  userSessionRoutes(app, deps)
  keyRoutes(app, deps)
  auditRoutes(app, deps)
  eventRoutes(app, deps)
  statusRoute(app, deps)
  trafficRoute(app, deps)
}

/** Takes JSON and nothing else. Where no body is sent, it is as if an empty object had been. */
function takeJson(app: App): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else parse(request, body as string, done)
  })
  app.addHook('preValidation', async (request) => {
    if (request.routeOptions.schema?.body) request.body ??= {}
  })
}
