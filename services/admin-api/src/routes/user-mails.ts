import type { App } from '@gatehouse/http/app'
import { MailLinkPurpose } from '@gatehouse/proto/mail/v1'
import { Type } from '@gatehouse/proto/typebox'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { adminAnswers } from '../schemas.ts'

/** The answer of a route that has written a mail. */
export const mailWritten = {
  202: Type.Object(
    { mail_id: Type.String({ format: 'uuid' }) },
    { title: 'SentMail', examples: [{ mail_id: '019b7a5e-0000-7000-8000-000000000006' }] },
  ),
}
const params = Type.Object({ user_id: Type.String() })

const purposes = {
  password_reset: MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET,
  address: MailLinkPurpose.MAIL_LINK_PURPOSE_ADDRESS,
} as const

/** The route with which administrators send users mails with links. */
export function userMailRoutes(app: App, deps: AdminDeps): void {
  sendUserLink(app, deps)
}

function sendUserLink(app: App, { mails }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/users/:user_id/mails',
    schema: {
      operationId: 'sendUserLink',
      summary: 'Send a user a mail with a link',
      description:
        'The link works once, within one hour: with it the user chooses a new password (`password_reset`; their address must be verified), or confirms their address (`address`).',
      params,
      body: Type.Object(
        { kind: Type.Enum(['password_reset', 'address']) },
        { title: 'UserMail', examples: [{ kind: 'password_reset' }] },
      ),
      response: adminAnswers(mailWritten, 'invalid_request', 'not_found'),
    },
    async handler(request, reply) {
      const { user_id: userId } = request.params
      const purpose = purposes[request.body.kind]
      const { mailId } = await mails.sendUserLink({ userId, purpose, actor: actorOf(request) })
      return reply.code(202).send({ mail_id: mailId })
    },
  })
}
