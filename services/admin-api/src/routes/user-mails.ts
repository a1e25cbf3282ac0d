import type { App } from '@gatehouse/http/app'
import { languageTags } from '@gatehouse/proto/languages'
import { MailLinkPurpose } from '@gatehouse/proto/mail/v1'
import { Type } from '@gatehouse/proto/typebox'
import { attributesIn } from '@gatehouse/proto/user-attributes'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { adminAnswers } from '../schemas.ts'
import { attributeFields } from '../user-body.ts'

const sentSchema = Type.Object({ mail_id: Type.String({ format: 'uuid' }) }, { title: 'SentMail' })
const sentExample = { mail_id: '019b7a5e-0000-7000-8000-000000000006' }
const params = Type.Object({ user_id: Type.String() })

const purposes = {
  password_reset: MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET,
  address: MailLinkPurpose.MAIL_LINK_PURPOSE_ADDRESS,
} as const

/** The routes with which administrators send users mails with links. */
export function userMailRoutes(app: App, deps: AdminDeps): void {
  for (const add of [inviteUser, sendUserLink]) add(app, deps)
}

function inviteUser(app: App, { mails }: AdminDeps): void {
  const { email, email_verified: _, ...others } = attributeFields
  app.route({
    method: 'POST',
    url: '/invitations',
    schema: {
      operationId: 'inviteUser',
      summary: 'Invite somebody to create an account',
      description:
        'Sends a mail with a link that works once, within seven days. Whoever follows it chooses a user name and a password; the address is theirs, verified. It needs OAUTH2_SIGNUP to be `invitation` or `open`.',
      body: Type.Object(
        {
          email: Type.String({ format: 'email', description: 'Where the invitation goes.' }),
          language: Type.Optional(
            Type.Enum([...languageTags], { description: 'The language of the mail, by default English.' }),
          ),
          ...others,
        },
        { title: 'Invitation', examples: [{ email: 'ann@example.com', name: 'Ann Example' }] },
      ),
      response: adminAnswers({ 202: { ...sentSchema, examples: [sentExample] } }, 'invalid_request'),
    },
    async handler(request, reply) {
      const { email: address, language = 'en', ...attributes } = request.body
      const invitation = { address, language, attributes: attributesIn(attributes), actor: actorOf(request) }
      const { mailId } = await mails.inviteUser(invitation)
      return reply.code(202).send({ mail_id: mailId })
    },
  })
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
      response: adminAnswers(
        { 202: { ...sentSchema, examples: [sentExample] } },
        'invalid_request',
        'not_found',
      ),
    },
    async handler(request, reply) {
      const { user_id: userId } = request.params
      const purpose = purposes[request.body.kind]
      const { mailId } = await mails.sendUserLink({ userId, purpose, actor: actorOf(request) })
      return reply.code(202).send({ mail_id: mailId })
    },
  })
}
