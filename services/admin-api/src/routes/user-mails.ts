import type { App } from '@gatehouse/http/app'
import { MailLinkPurpose } from '@gatehouse/proto/mail/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'

/** The answer of a route that has written a mail. */
export const mailWritten = {
  202: Type.Object(
    { mail_id: Type.String({ format: 'uuid' }) },
    { title: 'SentMail', examples: [{ mail_id: '019b7a5e-0000-7000-8000-000000000006' }] },
  ),
}

const purposes = {
  password_reset: MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET,
  address: MailLinkPurpose.MAIL_LINK_PURPOSE_ADDRESS,
} as const

/** The route with which administrators send users mails with links. */
export function userMailRoutes(app: App, { mails }: AdminDeps): void {
  operationRoute(app, {
    route: 'POST /users/:user_id/mails',
    operationId: 'sendUserLink',
    summary: 'Send a user a mail with a link',
    description:
      'The link works once, within one hour: with it the user chooses a new password (`password_reset`; their address must be verified), or confirms their address (`address`).',
    body: Type.Object(
      { kind: Type.Enum(['password_reset', 'address']) },
      { title: 'UserMail', examples: [{ kind: 'password_reset' }] },
    ),
    answer: mailWritten,
    refusals: ['not_found'],
    async perform({ params, body, actor }) {
      const { user_id: userId } = params
      const purpose = purposes[body.kind]
      const { mailId } = await mails.sendUserLink({ userId, purpose, actor })
      return { mail_id: mailId }
    },
  })
}
