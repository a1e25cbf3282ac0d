import type { App } from '@gatehouse/http/app'
import { parseForm, queryOf } from '@gatehouse/http/form'
import { pageForm } from '../../http/schemas.ts'
import { accountLanguage, type FactorDeps, waitingAt } from '../account/factor-places.ts'
import { formTarget } from '../authorization/authorization.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import { sendPage } from '../pages/pages.ts'
import { returnPath } from '../pages/return-to.ts'
import { newCodesPage } from '../session/new-recovery-codes.ts'

const config = { page: true } as const

/**
 * The page that shows a user's new recovery codes until the user says that they are stored, or for five minutes. It then leads on: to the
 * account page, or to the app that waits for the login.
 */
export function newRecoveryCodesRoutes(app: App, deps: FactorDeps): void {
  const { sessions, newCodes } = deps
  pageRoute(app, {
    url: newCodesPage,
    exposeHeadRoute: false,
    async handler(request, reply) {
      const next = returnPath(parseForm(queryOf(request.url)).return_to) ?? '/account'
      const session = await sessions.of(request)
      const made = session && newCodes.read(request, session.sessionId)
      if (session === undefined || made === undefined) return reply.redirect(next)
      const { user } = session
      const waiting = await waitingAt({ of: 'session', returnTo: next }, deps)
      const language = waiting
        ? languageOf(request, waiting.uiLocales?.split(' '))
        : await accountLanguage(user.userId, request, deps)
      const content = { ...made, ...(made.replaced && { user }), next }
      // The redirects after the form may lead to the client.
      const formTargets = waiting ? [formTarget(waiting.redirectUri)] : []
      return sendPage(reply, 'recovery-codes', content, { formTargets, language })
    },
  })

  app.route({
    method: 'POST',
    url: newCodesPage,
    config,
    schema: pageForm('return_to'),
    async handler(request, reply) {
      newCodes.clear(reply)
      return reply.redirect(returnPath(request.body.return_to) ?? '/account', 303)
    },
  })
}
