import { hash } from 'node:crypto'
import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { actorMessage } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import {
  type ConnectionLoginServiceService,
  type ConnectionServiceService,
  type Link,
  LoginProblemKind,
} from '@gatehouse/proto/connection/v1'
import { isConnectionId } from '@gatehouse/proto/connections'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../../endpoint/endpoint.ts'
import { organizationParts } from '../../../endpoint/part.ts'
import { callerOf } from '../../../http/caller.ts'
import { pageForm } from '../../../http/schemas.ts'
import { confirmFirst, waitingAt } from '../../account/factor-places.ts'
import { withRecentLogin } from '../../account/recent-login.ts'
import { formTarget } from '../../authorization/authorization.ts'
import type { AuthorizationStepDeps } from '../../authorization/authorization-step.ts'
import {
  connectedPage,
  connectionsPage,
  connectPage,
  waitingAfter,
} from '../../logins/connection-addresses.ts'
import { explainConnectionProblem } from '../../logins/connection-problems.ts'
import { continuing } from '../../logins/other-way.ts'
import { showProblem } from '../../logins/problem-page.ts'
import type { SocialBrowsers } from '../../logins/social-browser.ts'
import { unknownProvider } from '../../logins/social-problems.ts'
import { type Visit, visitOf, withVisit } from '../../organizations/visit.ts'
import { shownName } from '../../pages/client-name.ts'
import { markRefused } from '../../pages/errors.ts'
import { pageRoute } from '../../pages/page-route.ts'
import { sendPage } from '../../pages/pages.ts'
import { flowAt } from '../../pages/return-to.ts'
import { explanationOf, TranslatedRefusal } from '../../pages/translated-refusal.ts'
import type { BrowserSessions } from '../../session/browser-session.ts'
import { beginLink, sendToProvider } from './login.ts'

/** The needs of the pages of connected accounts. */
export type OwnConnectionsDeps = Pick<AuthorizationStepDeps, 'tokens'> & {
  connectionService: Pick<
    RpcClient<typeof ConnectionServiceService> & RpcClient<typeof ConnectionLoginServiceService>,
    'listLinks' | 'removeLink' | 'listOffers' | 'getOffer' | 'beginLogin' | 'finishLogin'
  >
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser'>
  sessions: BrowserSessions
  browsers: SocialBrowsers
  issuer: string
}

/** More than the accounts that one person connects. */
const all = 200
const config = { page: true } as const

/** The pages with the accounts elsewhere that a user has connected to their own. */
export const ownConnectionsPages = endpoint({
  name: 'connected accounts',
  door: 'people',
  part: organizationParts,
  routes(app, deps: OwnConnectionsDeps) {
    listRoute(app, deps)
    connectRoutes(app, deps)
    removeRoutes(app, deps)
  },
})

function listRoute(app: App, deps: OwnConnectionsDeps): void {
  const { connectionService } = deps
  pageRoute(app, {
    url: connectionsPage,
    handler: (request, reply) =>
      withVisit(request, reply, deps, async (visit) => {
        const { session, texts, language, time } = visit
        const { userId } = session.user
        const waiting = waitingAfter(request.url)
        const [{ links }, { offers }, app] = await Promise.all([
          connectionService.listLinks({ userId, limit: all }),
          connectionService.listOffers({ userId }),
          waitingAt({ of: 'session', returnTo: waiting }, deps),
        ])
        const working = new Set(links.filter(({ orphaned }) => !orphaned).map((link) => link.connectionId))
        const { done } = parseForm(queryOf(request.url))
        const said: Readonly<Record<string, string>> = texts.connections.own.done
        const content = {
          user: session.user,
          waitingApp: app && {
            name: shownName(app),
            href: continuing(session, flowAt(waiting), waiting).continueAt,
          },
          message: done !== undefined && Object.hasOwn(said, done) ? said[done] : undefined,
          links: links.map((link) => ({
            name: link.connectionName,
            organization: link.organizationName,
            displayName: link.displayName,
            since: link.linkedAt,
            state: link.orphaned ? ('orphaned' as const) : link.disabled ? ('disabled' as const) : undefined,
            removeHref: removalOf(link),
          })),
          offers: offers
            .filter(({ connectionId }) => !working.has(connectionId))
            .map(({ connectionId, name, organizationName: organization }) => ({
              ...{ name, organization, href: connectPage(connectionId, waiting) },
            })),
          time,
        }
        return sendPage(reply, 'account/connections', content, { language })
      }),
  })
}

function connectRoutes(app: App, deps: OwnConnectionsDeps): void {
  const url = `${connectionsPage}/:connectionId`
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      visiting(request, reply, deps, async ({ session: { user }, language, texts }) => {
        const { connectionId } = idsOf(request)
        const name = await nameOf(connectionId, user.userId, deps)
        const { title, lead, submit: button } = texts.connections.own.connect
        const content = {
          ...{ user, name, button, title: title(name), heading: title, lines: [lead], problem: undefined },
          ...{ action: connectPage(connectionId, waitingAfter(request.url)), danger: false },
        }
        // Chromium checks form-action against the redirect to the provider.
        return sendPage(reply, 'account/connection', content, {
          language,
          formTargets: [formTarget(deps.issuer)],
        })
      }),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      visiting(request, reply, deps, async ({ session: { secret: sessionSecret, user } }) => {
        const { connectionId } = idsOf(request)
        await nameOf(connectionId, user.userId, deps)
        const waiting = waitingAfter(request.url)
        const link = await beginLink({ connectionId, sessionSecret, ipAddress: request.ip, waiting }, deps)
        if ('begun' in link) return sendToProvider(request, reply, link.begun, 303, deps)
        const { problem: kind, name } = link
        if (kind === LoginProblemKind.LOGIN_PROBLEM_KIND_SESSION)
          return confirmFirst(reply, connectPage(connectionId, waiting), 303)
        return showProblem(request, reply, explainConnectionProblem(kind, name), {
          href: connectedPage(waiting),
          text: ({ connections }) => connections.own.heading,
        })
      }),
  })
}

function removeRoutes(app: App, deps: OwnConnectionsDeps): void {
  const { connectionService } = deps
  const url = `${connectionsPage}/:connectionId/links/:link`
  pageRoute(app, {
    url,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      visiting(request, reply, deps, async (visit) => {
        const link = await linkAt(request, visit, deps)
        return link ? askToRemove(reply, visit, link) : reply.redirect(connectionsPage)
      }),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      visiting(request, reply, deps, async (visit) => {
        const link = await linkAt(request, visit, deps)
        if (link === undefined) return reply.redirect(connectionsPage, 303)
        const { secret: sessionSecret, user } = visit.session
        const { userId, username: name } = user
        const { connectionId, issuer, subject } = link
        const actor = actorMessage({ kind: 'user', id: userId, name, ...callerOf(request) })
        try {
          await connectionService.removeLink({ connectionId, issuer, subject, userId, sessionSecret, actor })
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'access_denied') throw error
          const refusal = new TranslatedRefusal('access_denied', (t) => t.connections.own.remove.last)
          markRefused(request, reply, refusal)
          return askToRemove(reply, visit, link, explanationOf(refusal, visit.texts))
        }
        return reply.redirect(`${connectionsPage}?done=removed`, 303)
      }),
  })
}

/** Acts for a user who logged in just now, on a page about one connection. */
async function visiting(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: OwnConnectionsDeps,
  act: (visit: Visit) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const { connectionId, link } = idsOf(request)
  if (!isConnectionId(connectionId)) throw unknownProvider()
  const page = link === undefined ? connectPage(connectionId, waitingAfter(request.url)) : undefined
  return withRecentLogin(
    request,
    reply,
    deps,
    async (session) => act(await visitOf(request, session, deps.identity)),
    page,
  )
}

const idsOf = ({ params }: FastifyRequest) => params as { connectionId: string; link?: string }

/**
 * The name of a connection that a user may link: one that is offered to them, one that they have linked, or another that takes people by
 * their address, since its provider may know them where they are no member yet.
 * @throws Refusal not_found for any other
 */
async function nameOf(
  connectionId: string,
  userId: string,
  { connectionService }: OwnConnectionsDeps,
): Promise<string> {
  const { offers } = await connectionService.listOffers({ userId })
  const offered = offers.find((offer) => offer.connectionId === connectionId)
  if (offered) return offered.name
  const { links } = await connectionService.listLinks({ userId, limit: all })
  const isLinked = links.some((link) => link.connectionId === connectionId)
  const { offer, takesByAddress } = await connectionService.getOffer({ connectionId })
  if (offer === undefined || !(isLinked || takesByAddress)) throw unknownProvider()
  return offer.name
}

/** The path of the page that asks whether to remove a link. It identifies the link by a digest: no address tells who somebody is elsewhere. */
function removalOf({ connectionId, issuer, subject }: Link): string {
  const digest = hash('sha256', JSON.stringify([issuer, subject]), 'base64url')
  return `${connectionsPage}/${connectionId}/links/${digest.slice(0, 22)}`
}

/** The link of the user that a page is about; undefined when it is removed already. */
async function linkAt(
  request: FastifyRequest,
  { session }: Visit,
  { connectionService }: OwnConnectionsDeps,
): Promise<Link | undefined> {
  const { connectionId, link } = idsOf(request)
  const { links } = await connectionService.listLinks({ userId: session.user.userId, limit: all })
  return links.find((one) => removalOf(one) === `${connectionsPage}/${connectionId}/links/${link}`)
}

function askToRemove(
  reply: FastifyReply,
  { session: { user }, texts, language }: Visit,
  link: Link,
  problem?: string,
): FastifyReply {
  const { title, lead, submit: button } = texts.connections.own.remove
  const { connectionName: name } = link
  const content = {
    ...{ user, name, button, title: title(name), heading: title, lines: [lead], problem },
    ...{ action: removalOf(link), danger: true },
  }
  return sendPage(reply, 'account/connection', content, { language })
}
