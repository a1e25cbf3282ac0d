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
import { revisionIn } from '../../organizations/form-revision.ts'
import { problemWith } from '../../organizations/problems.ts'
import { askFirst, type QuestionWords } from '../../organizations/question.ts'
import { doneIn, type MemberVisit, type VisitDeps, withMembership } from '../../organizations/visit.ts'
import type { ConnectionValues } from '../../pages/contents/connection-contents.ts'
import type { Problem } from '../../pages/form-problem.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import type { Texts } from '../../texts/table.ts'

/** The needs of the pages of one connection of an organization. */
export type ConnectionDeps = VisitDeps<'listDomains'> & {
  connectionService: Pick<ConnectionServices, 'getConnection' | 'updateConnection' | 'deleteConnection'>
  /** The public address of this server. */
  issuer: string
}

const url = `${connectionsUrl}/:connectionId`
const config = { page: true } as const

/** Something that is done to a connection as a whole. */
type Action = {
  /** The words of the page that asks before; absent: nothing is taken away by it. */
  question?(texts: Texts['organizationConnections']): QuestionWords
  run(
    which: MemberVisit['change'] & { connectionId: string },
    connections: ConnectionDeps['connectionService'],
  ): Promise<unknown>
  /** Whether the page of the connection follows, or that of all. */
  leadsTo: 'connection' | 'connections'
  /** The name of the words that say that it is done. */
  done: string
}

const actions: Readonly<Record<string, Action>> = {
  disable: {
    question: ({ disabling }) => disabling,
    run: (which, connections) => setDisabled(which, connections, true),
    leadsTo: 'connection',
    done: 'connection-disabled',
  },
  enable: {
    run: (which, connections) => setDisabled(which, connections, false),
    leadsTo: 'connection',
    done: 'connection-enabled',
  },
  delete: {
    question: ({ deletion }) => deletion,
    run: (which, connections) => connections.deleteConnection(which),
    leadsTo: 'connections',
    done: 'connection-deleted',
  },
}

function setDisabled(
  which: Parameters<Action['run']>[0],
  connections: ConnectionDeps['connectionService'],
  disabled: boolean,
) {
  const nothing = { revision: 0n, connection: undefined, fields: [] }
  return connections.updateConnection({ ...which, ...nothing, disabled })
}

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
        const { revision, client_secret: clientSecret } = request.body
        const values = valuesIn(request.body as Record<string, string>, valuesOf(connection).kind)
        const { texts, change } = visit
        const update = () =>
          deps.connectionService.updateConnection({
            ...{ ...change, ...connectionOf(values, change.organizationId), connectionId, clientSecret },
            revision: revisionIn(revision),
          })
        const problem = await problemWith(update, connectionProblems, { request, reply, texts })
        if (problem === undefined)
          return reply.redirect(`${pathOf(connection, visit)}?done=connection-saved`, 303)
        // A change that somebody else made meanwhile must be seen before it is overwritten.
        const typed = problem.text === texts.organizationConnections.outdated ? undefined : values
        return showConnection(request, reply, visit, deps, {
          ...{ connection, problem, typed, secretTyped: Boolean(clientSecret) },
        })
      }),
  })

  for (const [name, action] of Object.entries(actions)) actionRoutes(app, deps, name, action)
}

function actionRoutes(app: App, deps: ConnectionDeps, name: string, action: Action): void {
  const { question } = action
  if (question !== undefined)
    pageRoute(app, {
      url: `${url}/${name}`,
      handler: (request, reply) =>
        withMembership(request, reply, deps, 'admin', async (visit) => {
          const connection = await connectionIn(request.params, visit, deps)
          const path = pathOf(connection, visit)
          return askFirst(reply, visit, question(visit.texts.organizationConnections), {
            ...{ name: connection.name, action: `${path}/${name}` },
            back: { href: path, name: connection.name },
          })
        }),
    })

  app.route({
    method: 'POST',
    url: `${url}/${name}`,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      withMembership(request, reply, deps, 'admin', async (visit) => {
        const connection = await connectionIn(request.params, visit, deps)
        const { connectionId } = connection
        const run = () => action.run({ ...visit.change, connectionId }, deps.connectionService)
        const problem = await problemWith(run, connectionProblems, { request, reply, texts: visit.texts })
        if (problem) return showConnection(request, reply, visit, deps, { connection, problem })
        const page = action.leadsTo === 'connection' ? pathOf(connection, visit) : `${visit.path}/connections`
        return reply.redirect(`${page}?done=${action.done}`, 303)
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
    secretTyped,
  }: {
    connection: Connection
    problem?: Problem
    typed?: ConnectionValues | undefined
    secretTyped?: boolean
  },
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
    form: formOf(values, domains, { texts, isNew: false, secretTyped }),
  }
  return sendPage(reply, 'organizations/connection', content, { language })
}
