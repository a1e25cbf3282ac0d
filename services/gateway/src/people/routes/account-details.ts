import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { Language } from '@gatehouse/proto/people/languages'
import type { FastifyReply } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { pageForm } from '../../http/schemas.ts'
import { wayOfWriting } from '../account/way-of-writing.ts'
import type { MailOptions } from '../logins/mail-options.ts'
import { attributeInputs, attributeLabels, attributesFrom, timeZones } from '../pages/attribute-inputs.ts'
import { markRefused } from '../pages/errors.ts'
import { type Problem, problemOf } from '../pages/form-problem.ts'
import { languageOf } from '../pages/page-language.ts'
import { pageRoute } from '../pages/page-route.ts'
import type { PageUser } from '../pages/page-user.ts'
import { sendPage } from '../pages/pages.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import { textsIn } from '../texts/table.ts'
import { withProvenSession, withSession } from './account.ts'

/** The needs of the form for a user's own attributes. */
export type AccountDetailsDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser' | 'changeOwnAttributes'>
  sessions: BrowserSessions
  mailOptions: MailOptions
}

const url = '/account/details'
const config = { page: true } as const

/** The form with which people change their own attributes. Without a session it redirects to the login page. */
export const accountDetailsPage = endpoint({
  name: 'own attributes',
  door: 'people',
  routes: accountDetailsRoutes,
})

function accountDetailsRoutes(app: App, { identity, sessions, mailOptions }: AccountDetailsDeps): void {
  pageRoute(app, {
    url,
    handler: (request, reply) =>
      withSession(request, reply, sessions, async ({ user }) => {
        const { user: record } = await identity.getUser({ userId: user.userId })
        const { attributes = {} } = record ?? {}
        const language = languageOf(request, [wayOfWriting(attributes).locale])
        const { mails: mailsOn } = await mailOptions()
        return showDetails(reply, { user, values: attributes, language, mailsOn })
      }),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      withProvenSession(request, reply, sessions, async ({ user, secret }) => {
        const attributes = attributesFrom(request.body, 'users')
        try {
          await identity.changeOwnAttributes({ sessionSecret: secret, attributes })
          return reply.redirect('/account?done=details', 303)
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error
          markRefused(request, reply, error)
          const language = languageOf(request)
          const problem = problemIn(language, error)
          const { mails: mailsOn } = await mailOptions()
          return showDetails(reply, { user, values: request.body, language, mailsOn, problem })
        }
      }),
  })
}

function showDetails(
  reply: FastifyReply,
  {
    user,
    values,
    language,
    mailsOn,
    problem,
  }: {
    user: PageUser
    values: Readonly<Record<string, unknown>>
    language: Language
    mailsOn: boolean
    problem?: Problem
  },
): FastifyReply {
  const inputs = attributeInputs(values, 'users', language)
  return sendPage(reply, 'account/details', { user, inputs, mailsOn, timeZones, problem }, { language })
}

/** Says in a language what is wrong with the form, as far as the refusal names an attribute. */
function problemIn(language: Language, refusal: Refusal): Problem {
  const problem = problemOf(refusal, attributeLabels(language))
  const { faults } = textsIn(language).details
  const input = attributeInputs({}, 'users', language).find(({ name }) => name === problem.field)
  if (input === undefined || input.kind === 'boolean' || input.kind === 'email') return problem
  return { ...problem, text: faults[input.kind](input.label, input.maxLength ?? 0) }
}
