import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Connection } from '@gatehouse/proto/connection/v1'
import { connectionKinds, connectionLimits } from '@gatehouse/proto/connections'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import {
  connectionOf,
  formOf,
  kindIn,
  newValues,
  textFields,
  valuesIn,
} from '../../organizations/connection-form.ts'
import {
  type ConnectionServices,
  connectionProblems,
  connectionsUrl,
} from '../../organizations/connections.ts'
import { problemWith } from '../../organizations/problems.ts'
import { doneIn, type MemberVisit, type VisitDeps, withMembership } from '../../organizations/visit.ts'
import type { ConnectionValues } from '../../pages/contents/connection-contents.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'

/** The needs of the pages with all connections of an organization, and for a new one. */
export type ConnectionsDeps = VisitDeps<'listDomains'> & {
  connectionService: Pick<ConnectionServices, 'listConnections' | 'createConnection'>
}

/** The pages where owners and admins look at the connections of their organization, and add one. */
export const connectionsPages = endpoint({
  name: 'connections of an organization',
  door: 'people',
  part: organizationParts,
  routes: connectionsRoutes,
})

function connectionsRoutes(app: App, deps: ConnectionsDeps): void {
  pageRoute(app, {
    url: connectionsUrl,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', (visit) => showConnections(request, reply, visit, deps)),
  })

  pageRoute(app, {
    url: `${connectionsUrl}/new`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const kind = kindIn(parseForm(queryOf(request.url)).kind)
        return kind === undefined
          ? showKinds(reply, visit)
          : showNew(reply, visit, deps, { values: newValues(kind) })
      }),
  })

  app.route({
    method: 'POST',
    url: connectionsUrl,
    // The provider's metadata are read.
    config: { page: true, limit: 'costly' },
    // The domains are fields of their own, which begin with `domain:`.
    schema: pageForm('kind', ...textFields),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const { kind: kindText, client_secret: clientSecret } = request.body
        const { texts, path } = visit
        const kind = kindIn(kindText)
        if (kind === undefined) return showKinds(reply, visit)
        const values = valuesIn(request.body as Record<string, string>, kind)
        const { organizationId, ...by } = visit.change
        const { connection } = connectionOf(values, organizationId)
        let connectionId = ''
        const create = async () => {
          const wanted = { ...by, connection, clientSecret, disabled: false }
          const created = await deps.connectionService.createConnection(wanted)
          connectionId = created.connection?.connectionId ?? ''
        }
        const problem = await problemWith(create, connectionProblems, { request, reply, texts })
        return problem
          ? showNew(reply, visit, deps, { values, problem, secretTyped: Boolean(clientSecret) })
          : reply.redirect(`${path}/connections/${connectionId}?done=connection-added`, 303)
      }),
  })
}

async function showConnections(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, membership, path, change: { organizationId }, texts, language }: MemberVisit,
  { connectionService }: ConnectionsDeps,
): Promise<FastifyReply> {
  const { cursor, done } = parseForm(queryOf(request.url))
  const page = `${path}/connections`
  const { connections, nextCursor } = await connectionService.listConnections({
    ...{
      cursor,
      limit: connectionLimits.ofOrganization,
      filters: { organization: organizationId },
      withLinks: true,
    },
  })
  const content = {
    ...{ user, organization: membership.name, path, problem: undefined },
    message: doneIn(done, texts),
    connections: connections.map((one) => rowOf(one, page)),
    next: nextCursor && `${page}?${new URLSearchParams({ cursor: nextCursor })}`,
    first: cursor === undefined ? undefined : page,
  }
  return sendPage(reply, 'organizations/connections', content, { language })
}

/** More links are told as more than these. */
const mostLinks = 1_000n

/** A connection in the list. */
function rowOf({ connectionId, name, issuer, kind, disabledAt, links = 0n }: Connection, page: string) {
  return {
    ...{ name, href: `${page}/${connectionId}`, isActive: disabledAt === undefined },
    issuer: issuer ?? titleOf(kind),
    links: links > mostLinks ? `${mostLinks}+` : String(links),
  }
}

/** The name of a kind. */
function titleOf(kind: string): string {
  return connectionKinds[kindIn(kind) ?? 'oidc'].title
}

function showKinds(
  reply: FastifyReply,
  { session: { user }, membership, path, texts, language }: MemberVisit,
): FastifyReply {
  const content = {
    ...{ user, organization: membership.name, path, message: undefined, problem: undefined },
    kinds: Object.entries(connectionKinds).map(([kind, { title }]) => ({
      ...{ title, href: `${path}/connections/new?${new URLSearchParams({ kind })}` },
      hint: texts.organizationConnections.kinds[kind as keyof typeof connectionKinds],
    })),
  }
  return sendPage(reply, 'organizations/connection-kinds', content, { language })
}

async function showNew(
  reply: FastifyReply,
  { session: { user }, membership, path, change: { organizationId }, texts, language }: MemberVisit,
  { organizationService }: ConnectionsDeps,
  { values, problem, secretTyped }: { values: ConnectionValues; problem?: Problem; secretTyped?: boolean },
): Promise<FastifyReply> {
  const { domains } = await organizationService.listDomains({ organizationId })
  const content = {
    ...{ user, organization: membership.name, path, message: undefined, problem },
    kind: connectionKinds[values.kind].title,
    form: formOf(values, domains, { texts, isNew: true, secretTyped }),
  }
  return sendPage(reply, 'organizations/connection-new', content, { language })
}
