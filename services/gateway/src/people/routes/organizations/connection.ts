import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import type { Connection } from '@gatehouse/proto/connection/v1'
import { connectionKinds } from '@gatehouse/proto/connections'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { pageForm } from '../../../http/schemas.ts'
import { connectionOf, formOf, textFields, valuesIn, valuesOf } from '../../organizations/connection-form.ts'
import {
  type ConnectionServices,
  connectionIn,
  connectionProblems,
  connectionsUrl,
} from '../../organizations/connections.ts'
import { problemWith } from '../../organizations/problems.ts'
import { askFirst } from '../../organizations/question.ts'
import { doneIn, type MemberVisit, type VisitDeps, withMembership } from '../../organizations/visit.ts'
import type { ConnectionValues } from '../../pages/contents/connection-contents.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'

/** The needs of the pages of one connection of an organization. */
export type ConnectionDeps = VisitDeps<'listDomains'> & {
  connectionService: Pick<ConnectionServices, 'getConnection' | 'updateConnection' | 'deleteConnection'>
  /** The public address of this server. */
  issuer: string
}

const url = `${connectionsUrl}/:connectionId`
const config = { page: true } as const

/** The pages where owners and admins change a connection of their organization, disable and delete it. */
export const connectionPages = endpoint({
  name: 'connection of an organization',
  door: 'people',
  part: organizationParts,
  routes: connectionRoutes,
})

function connectionRoutes(app: App, deps: ConnectionDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) =>
        showConnection(request, reply, visit, deps, {
          connection: await connectionIn(request.params, visit, deps),
        }),
      ),
  })

  app.route({
    method: 'POST',
    url,
    // With another issuer, the provider's metadata are read.
    config: { page: true, limit: 'costly' },
    schema: pageForm('revision', ...textFields),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const { connectionId } = connection
        const { revision = '', client_secret: clientSecret } = request.body
        const values = valuesIn(request.body as Record<string, string>, valuesOf(connection).kind)
        const { texts, change } = visit
        const update = () =>
          deps.connectionService.updateConnection({
            ...{ ...change, ...connectionOf(values, change.organizationId), connectionId, clientSecret },
            revision: /^\d{1,18}$/.test(revision) ? BigInt(revision) : 1n,
          })
        const problem = await problemWith(update, connectionProblems, { request, reply, texts })
        if (problem === undefined)
          return reply.redirect(`${pathOf(connection, visit)}?done=connection-saved`, 303)
        // A change that somebody else made meanwhile must be seen before it is overwritten.
        const typed = problem.text === texts.organizationConnections.outdated ? undefined : values
        return showConnection(request, reply, visit, deps, { connection, problem, typed })
      }),
  })

  disablingRoutes(app, deps)
  deletionRoutes(app, deps)
}

function disablingRoutes(app: App, deps: ConnectionDeps): void {
  pageRoute(app, {
    url: `${url}/disable`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const path = pathOf(connection, visit)
        return askFirst(reply, visit, visit.texts.organizationConnections.disabling, {
          ...{ name: connection.name, action: `${path}/disable`, back: path },
        })
      }),
  })

  for (const [action, done] of [
    ['disable', 'connection-disabled'],
    ['enable', 'connection-enabled'],
  ] as const)
    app.route({
      method: 'POST',
      url: `${url}/${action}`,
      config,
      schema: pageForm(),
      handler: (request, reply) =>
        withMembership(request, reply, deps, 'admin', async (visit) => {
          const connection = await connectionIn(request.params, visit, deps)
          const { connectionId } = connection
          const update = () =>
            deps.connectionService.updateConnection({
              ...{ ...visit.change, connectionId, revision: 0n, connection: undefined, fields: [] },
              disabled: action === 'disable',
            })
          const problem = await problemWith(update, connectionProblems, {
            request,
            reply,
            texts: visit.texts,
          })
          return problem
            ? showConnection(request, reply, visit, deps, { connection, problem })
            : reply.redirect(`${pathOf(connection, visit)}?done=${done}`, 303)
        }),
    })
}

function deletionRoutes(app: App, deps: ConnectionDeps): void {
  pageRoute(app, {
    url: `${url}/delete`,
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const path = pathOf(connection, visit)
        return askFirst(reply, visit, visit.texts.organizationConnections.deletion, {
          ...{ name: connection.name, action: `${path}/delete`, back: path },
        })
      }),
  })

  app.route({
    method: 'POST',
    url: `${url}/delete`,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const { connectionId } = connection
        const remove = () => deps.connectionService.deleteConnection({ ...visit.change, connectionId })
        const problem = await problemWith(remove, connectionProblems, { request, reply, texts: visit.texts })
        return problem
          ? showConnection(request, reply, visit, deps, { connection, problem })
          : reply.redirect(`${visit.path}/connections?done=connection-deleted`, 303)
      }),
  })
}

const pathOf = ({ connectionId }: Connection, { path }: MemberVisit) => `${path}/connections/${connectionId}`

async function showConnection(
  request: FastifyRequest,
  reply: FastifyReply,
  visit: MemberVisit,
  { organizationService, issuer }: ConnectionDeps,
  {
    connection,
    problem,
    typed,
  }: { connection: Connection; problem?: Problem; typed?: ConnectionValues | undefined },
): Promise<FastifyReply> {
  const { session, membership, path, change, texts, language } = visit
  const { connectionId, links = 0n, orphanedLinks = 0n, disabledAt } = connection
  const { domains } = await organizationService.listDomains({ organizationId: change.organizationId })
  const values = typed ?? valuesOf(connection)
  const own = pathOf(connection, visit)
  const server = issuer.replace(/\/$/, '')
  const about = `${server}/auth/connections/${connectionId}`
  const test = new URLSearchParams({ test: 'yes', return_to: own })
  const content = {
    ...{ user: session.user, organization: membership.name, path, problem, own, name: connection.name },
    message: doneIn(parseForm(queryOf(request.url)).done, texts),
    kind: connectionKinds[values.kind].title,
    isActive: disabledAt === undefined,
    links: String(links),
    orphaned: orphanedLinks === 0n ? undefined : String(orphanedLinks),
    addresses: {
      redirect: `${server}${connection.callbackPath}`,
      keys: connection.clientPublicKey && `${about}/jwks`,
      logout: values.kind === 'oidc' ? `${about}/backchannel-logout` : undefined,
    },
    test: `/auth/login/${connectionId}?${test}`,
    rules: String(connection.mapping.length),
    revision: String(connection.revision),
    form: formOf(values, domains, { texts, isNew: false }),
  }
  return sendPage(reply, 'organizations/connection', content, { language })
}
