import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import { type AdminArea, adminScope, areaScope } from '@gatehouse/proto/administration'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from './deps.ts'
import { readPathIds } from './path-ids.ts'
import { activityRoutes } from './routes/activity.ts'
import { auditRoutes } from './routes/audit.ts'
import { clientAuthenticationFailureRoutes } from './routes/client-authentication-failures.ts'
import { clientImportRoute } from './routes/client-import.ts'
import { clientRoutes } from './routes/clients.ts'
import { connectionRoutes } from './routes/connections/connections.ts'
import { linkRoutes } from './routes/connections/links.ts'
import { eventBackendsRoute } from './routes/event-backends.ts'
import { memberRoutes } from './routes/groups/group-members.ts'
import { groupRoutes } from './routes/groups/groups.ts'
import { roleRoutes } from './routes/groups/roles.ts'
import { tokenPreviewRoute } from './routes/groups/token-preview.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { keyRoutes } from './routes/keys.ts'
import { loginRoutes } from './routes/logins.ts'
import { mailRoutes } from './routes/mails.ts'
import { meRoute } from './routes/me.ts'
import { organizationDomainRoutes } from './routes/organizations/organization-domains.ts'
import { organizationInvitationRoutes } from './routes/organizations/organization-invitations.ts'
import { organizationMemberRoutes } from './routes/organizations/organization-members.ts'
import { organizationGroupRoutes, organizationRoutes } from './routes/organizations/organizations.ts'
import { rateLimitsRoute } from './routes/rate-limits.ts'
import { resourceRoutes } from './routes/resources.ts'
import { statusRoute } from './routes/status.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { usageRoutes } from './routes/usage.ts'
import { userErasureRoute } from './routes/user-erasure.ts'
import { userFactorRoutes } from './routes/user-factors.ts'
import { userImportRoute } from './routes/user-import.ts'
import { userLoginProblemsRoutes } from './routes/user-login-problems.ts'
import { userMailRoutes } from './routes/user-mails.ts'
import { userSessionRoutes } from './routes/user-sessions.ts'
import { userRoutes } from './routes/users.ts'
import { webhookDeliveryRoutes } from './routes/webhook-deliveries.ts'
import { secretRoutes } from './secrets/routes.ts'

type AddRoutes = (app: App, deps: AdminDeps) => void

/** The routes of each part of the administration. Callers that may read a part may send its GET requests. */
const routes: Readonly<Record<AdminArea, readonly AddRoutes[]>> = {
  clients: [clientRoutes, clientImportRoute],
  resources: [resourceRoutes],
  tokens: [tokenRoutes],
  users: [
    userRoutes,
    userImportRoute,
    userSessionRoutes,
    invitationRoutes,
    userMailRoutes,
    userFactorRoutes,
    userLoginProblemsRoutes,
    userErasureRoute,
    tokenPreviewRoute,
  ],
  groups: [
    (app, deps) => groupRoutes(app, deps),
    (app, deps) => memberRoutes(app, deps),
    (app, deps) => roleRoutes(app, deps),
  ],
  organizations: [
    organizationRoutes,
    organizationMemberRoutes,
    organizationGroupRoutes,
    organizationInvitationRoutes,
    organizationDomainRoutes,
  ],
  connections: [connectionRoutes, linkRoutes],
  mails: [mailRoutes],
  keys: [keyRoutes, secretRoutes],
  activity: [
    activityRoutes,
    auditRoutes,
    loginRoutes,
    clientAuthenticationFailureRoutes,
    rateLimitsRoute,
    usageRoutes,
  ],
  events: [webhookDeliveryRoutes],
  system: [statusRoute, eventBackendsRoute],
}

/**
 * Declares the administrators' JSON API.
 * @param app a scope behind the guard, which decorates each request with its administrator
 */
export function adminApi(app: App, deps: AdminDeps): void {
  describeAsAdministration(app)
  refuseUnknown(app)
  readPathIds(app)
  meRoute(app)
  for (const [area, adding] of Object.entries(routes)) {
    app.register(async (part: App) => {
      demandScope(part, area as AdminArea)
      for (const add of adding) add(part, deps)
    })
  }
}

/** Files each operation of the OpenAPI document. It must be called before the routes are declared. */
function describeAsAdministration(api: App): void {
  api.addHook('onRoute', (route) => {
    route.schema = { tags: ['Admin'], ...route.schema }
  })
}

/** Says of each route, also in the OpenAPI document, which scope it needs. It must be called before the routes are declared. */
function demandScope(part: App, area: AdminArea): void {
  part.addHook('onRoute', (route) => {
    const reads = ['GET', 'HEAD'].includes(String(route.method))
    const scope = areaScope(area, reads ? 'read' : 'write')
    route.config = { ...route.config, requiredScope: scope }
    const description = [route.schema?.description, `Needs the scope \`${adminScope}\` or \`${scope}\`.`]
    route.schema = {
      ...route.schema,
      description: description.filter((text) => text !== undefined).join(' '),
      security: [{ adminSession: [] }, { adminToken: [scope] }],
    }
  })
}

/**
 * Refuses fields and parameters that a route does not know: a caller who misspells `disabled` must not get an answer that
 * looks like success. It must be called before the routes are declared.
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
    // Fastify's own parser accepts malformed escapes and repeated parameters.
    request.query = readQuery(queryOf(request.url), request.routeOptions.schema?.querystring)
    const { body } = Object(request.routeOptions.schema)
    const takesBody = body !== undefined
    if (body?.optionalBody && request.body === undefined) request.body = {}
    if (!takesBody && Object.keys(request.body ?? {}).length > 0)
      throw new Refusal('invalid_request', 'This request must not have a body.')
  })
}

type Parameter = { type?: string; format?: string; enum?: unknown }

/**
 * Reads a query with the types of its schema. An empty parameter counts as absent if its type is a plain text. Any other
 * value that does not have its type stays a text, which the schema refuses.
 */
function readQuery(text: string, schema: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, Parameter> }
  const query: Record<string, unknown> = parseForm(text)
  for (const [name, parameter] of Object.entries(properties)) {
    const { type, format, enum: words } = parameter
    const value = query[name]
    if (type === 'integer' && /^\d{1,15}$/.test(String(value))) query[name] = Number(value)
    if (type === 'boolean' && /^(true|false)$/.test(String(value))) query[name] = value === 'true'
    const typed = type !== 'string' || format !== undefined || words !== undefined
    if (typed && value === undefined && new URLSearchParams(text).has(name)) query[name] = ''
  }
  return query
}
