import { Refusal } from '@gatehouse/kit/errors'
import { Type } from 'typebox'
import type { App } from '../app.ts'
import { queryOf } from '../authorization.ts'
import { parseForm } from '../form.ts'
import type { AdminDeps } from './deps.ts'
import { auditRoutes } from './routes/audit.ts'
import { clientRoutes } from './routes/clients.ts'
import { keyRoutes } from './routes/keys.ts'
import { loginRoutes } from './routes/logins.ts'
import { statusRoute } from './routes/status.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { usageRoutes } from './routes/usage.ts'
import { userSessionRoutes } from './routes/user-sessions.ts'
import { userRoutes } from './routes/users.ts'

/** The administrators' API, in JSON. */
export function adminApi(app: App, deps: AdminDeps): void {
  refuseUnknown(app)
  clientRoutes(app, deps)
  tokenRoutes(app, deps)
  userRoutes(app, deps)
  userSessionRoutes(app, deps)
  keyRoutes(app, deps)
  auditRoutes(app, deps)
  loginRoutes(app, deps)
  statusRoute(app, deps)
  usageRoutes(app, deps)
}

/**
 * Refuses fields and parameters that a route does not know: whoever misspells `disabled` must not be told that it is done.
 * To be called before the routes are declared.
 */
function refuseUnknown(api: App): void {
  api.addHook('onRoute', (route) => {
    const { body, querystring = Type.Object({}), ...schema } = route.schema ?? {}
    const closed = { additionalProperties: false }
    route.schema = {
      ...schema,
      querystring: { ...Object(querystring), ...closed },
      ...(body !== undefined && { body: { ...Object(body), ...closed } }),
    }
  })
  api.addHook('preValidation', async (request) => {
    // Fastify's own reading lets malformed escapes and repeated parameters pass.
    request.query = readQuery(queryOf(request.url), request.routeOptions.schema?.querystring)
    const takesBody = request.routeOptions.schema?.body !== undefined
    if (!takesBody && Object.keys(request.body ?? {}).length > 0)
      throw new Refusal('invalid_request', 'This address takes no body.')
  })
}

/**
 * A query as its schema has it: a parameter without a value is not there, unless it must be of another form than a text, and an
 * integer is a number. What is none stays a text, which the schema refuses.
 */
function readQuery(text: string, schema: unknown): Record<string, string | number> {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string; format?: string }> }
  const query: Record<string, string | number> = parseForm(text)
  for (const [name, { type, format }] of Object.entries(properties)) {
    const value = query[name]
    if (type === 'integer' && /^\d{1,15}$/.test(String(value))) query[name] = Number(value)
    const typed = type === 'integer' || format !== undefined
    if (typed && value === undefined && new URLSearchParams(text).has(name)) query[name] = ''
  }
  return query
}
