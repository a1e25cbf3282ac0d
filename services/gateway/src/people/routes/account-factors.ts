import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageForm } from '../../http/schemas.ts'
import { accountLanguage, type FactorDeps } from '../account/factor-places.ts'
import { withRecentLogin } from '../account/recent-login.ts'
import { markRefused } from '../pages/errors.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { explanationOf, TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { BrowserSession } from '../session/browser-session.ts'
import { showNewCodes } from '../session/new-recovery-codes.ts'
import { textsIn } from '../texts/table.ts'

const config = { page: true } as const
const params = Type.Object({ id: Type.String() })
const passkeyPage = '/account/passkeys/:id'
const appPage = '/account/authenticator-app'
const codesPage = '/account/recovery-codes'

/** The pages with which users rename and remove their factors and make new recovery codes. */
export function accountFactorRoutes(app: App, deps: FactorDeps): void {
  passkeyRoutes(app, deps)
  appRoutes(app, deps)
  codesRoutes(app, deps)
}

function passkeyRoutes(app: App, deps: FactorDeps): void {
  const { identity } = deps
  app.route({
    method: 'GET',
    url: passkeyPage,
    config,
    exposeHeadRoute: false,
    schema: { hide: true, params },
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, (session) =>
        showPasskey(request, reply, { session, id: request.params.id }, deps),
      ),
  })

  app.route({
    method: 'POST',
    url: passkeyPage,
    config,
    schema: { ...pageForm('name', 'remove'), params },
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, async (session) => {
        const { id } = request.params
        const { remove, name = '' } = request.body
        const { secret: sessionSecret } = session
        const show = (refusal: Refusal) => showPasskey(request, reply, { session, id, refusal }, deps)
        if (remove === 'yes')
          return explaining(lastFactor, show, async () => {
            await identity.removeFactor({ sessionSecret, factorId: id })
            return done(reply, 'factor-removed')
          })
        return explaining(badName, show, async () => {
          await identity.renamePasskey({ sessionSecret, passkeyId: id, name: name.trim() })
          return done(reply, 'passkey-renamed')
        })
      }),
  })
}

const badName = new TranslatedRefusal('invalid_request', ({ enrolment }) => enrolment.addPasskey.badName)
const lastFactor = new TranslatedRefusal('access_denied', ({ factors }) => factors.change.mustHave)

function appRoutes(app: App, deps: FactorDeps): void {
  pageRoute(app, {
    url: appPage,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, (session) => showApp(request, reply, { session }, deps)),
  })

  app.route({
    method: 'POST',
    url: appPage,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, async (session) => {
        const show = (refusal: Refusal) => showApp(request, reply, { session, refusal }, deps)
        return explaining(lastFactor, show, async () => {
          await deps.identity.removeFactor({ sessionSecret: session.secret, factorId: 'totp' })
          return done(reply, 'factor-removed')
        })
      }),
  })
}

function codesRoutes(app: App, deps: FactorDeps): void {
  pageRoute(app, {
    url: codesPage,
    exposeHeadRoute: false,
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, async ({ user }) => {
        const language = await accountLanguage(user.userId, request, deps)
        const { change } = textsIn(language).factors
        const { renewCodes: heading, renewCodesLead: text, renew: button } = change
        const question = { user, heading, lines: [text], action: codesPage, button, problem: undefined }
        return sendPage(reply, 'account/question', question, { language })
      }),
  })

  app.route({
    method: 'POST',
    url: codesPage,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      withRecentLogin(request, reply, deps, async ({ sessionId, secret }) => {
        const { recoveryCodes: codes } = await deps.identity.renewRecoveryCodes({ sessionSecret: secret })
        return showNewCodes(reply, { codes, replaced: true, sessionId, next: '/account' }, deps.newCodes)
      }),
  })
}

/** Shows a page again if something is refused for the reason that a refusal with the same code explains. */
async function explaining(
  explained: Refusal,
  show: (refusal: Refusal) => Promise<FastifyReply>,
  act: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Refusal && error.code === explained.code) return show(explained)
    throw error
  }
}

function done(reply: FastifyReply, what: string): FastifyReply {
  return reply.redirect(`/account?done=${what}`, 303)
}

type Shown = { session: BrowserSession; refusal?: Refusal }

async function showPasskey(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, id, refusal }: Shown & { id: string },
  deps: FactorDeps,
): Promise<FastifyReply> {
  const { passkeys, app, language } = await factorsOf(user.userId, request, deps)
  const passkey = passkeys.find(({ passkeyId }) => passkeyId === id)
  if (passkey === undefined) throw new Refusal('not_found')
  if (refusal) markRefused(request, reply, refusal)
  const content = {
    user,
    id,
    name: passkey.name,
    last: passkeys.length === 1 && app === undefined,
    problem: refusal && explanationOf(refusal, textsIn(language)),
  }
  return sendPage(reply, 'account/passkey', content, { language })
}

async function showApp(
  request: FastifyRequest,
  reply: FastifyReply,
  { session: { user }, refusal }: Shown,
  deps: FactorDeps,
): Promise<FastifyReply> {
  const { passkeys, app, language } = await factorsOf(user.userId, request, deps)
  if (app === undefined) throw new Refusal('not_found')
  if (refusal) markRefused(request, reply, refusal)
  const texts = textsIn(language)
  const { change } = texts.factors
  const content = {
    user,
    heading: change.removeApp,
    lines: [change.removeAppLead, ...(passkeys.length === 0 ? [change.last] : [])],
    action: appPage,
    button: change.remove,
    problem: refusal && explanationOf(refusal, texts),
  }
  return sendPage(reply, 'account/question', content, { language })
}

/** A user's factors, and the language of the pages about them. */
async function factorsOf(userId: string, request: FastifyRequest, deps: FactorDeps) {
  const [listed, language] = await Promise.all([
    deps.identity.listFactors({ userId }),
    accountLanguage(userId, request, deps),
  ])
  return { ...listed, language }
}
