import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { attributeInputs, attributeLabels, attributesFrom, timeZones } from '../attribute-inputs.ts'
import type { BrowserSessions } from '../browser-session.ts'
import { markRefused } from '../errors.ts'
import { type Problem, problemOf } from '../form-problem.ts'
import type { MailOptions } from '../mail-options.ts'
import { sendPage } from '../pages.ts'
import { pageForm } from '../schemas.ts'
import { withSession } from './account.ts'

/** What the form for a user's own attributes needs. */
export type AccountDetailsDeps = {
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'getUser' | 'changeOwnAttributes'>
  sessions: BrowserSessions
  mailOptions: MailOptions
}

const url = '/account/details'
const config = { page: true } as const

/** The form with which people change their own attributes. Without a session it redirects to the login page. */
export function accountDetailsRoutes(
  app: App,
  { identity, sessions, mailOptions }: AccountDetailsDeps,
): void {
  app.route({
    method: 'GET',
    url,
    config,
    schema: { hide: true },
    handler: (request, reply) =>
      withSession(request, reply, sessions, async ({ user }) => {
        const { user: record } = await identity.getUser({ userId: user.userId })
        const content = { user, mailsOn: (await mailOptions()).mails }
        return sendPage(reply, 'account-details', contentOf(content, record?.attributes ?? {}))
      }),
  })

  app.route({
    method: 'POST',
    url,
    config,
    schema: pageForm(),
    handler: (request, reply) =>
      withSession(request, reply, sessions, async ({ user, secret }) => {
        const attributes = attributesFrom(request.body, 'users')
        try {
          await identity.changeOwnAttributes({ sessionSecret: secret, attributes })
          return reply.redirect('/account?done=details', 303)
        } catch (error) {
          if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error
          markRefused(request, reply, error)
          const problem = problemOf(error, attributeLabels)
          const content = { user, mailsOn: (await mailOptions()).mails }
          return sendPage(reply, 'account-details', contentOf(content, request.body, problem))
        }
      }),
  })
}

function contentOf(
  content: { user: { username: string; admin: boolean }; mailsOn: boolean },
  values: Readonly<Record<string, unknown>>,
  problem?: Problem,
) {
  return { ...content, inputs: attributeInputs(values, 'users'), timeZones, problem }
}
