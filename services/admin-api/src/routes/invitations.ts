import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { languageTags } from '@gatehouse/proto/people/languages'
import { attributeSchema, attributesIn, userAttributes } from '@gatehouse/proto/people/user-attributes'
import { Type } from '@gatehouse/proto/typebox'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { adminAnswers, done, moment, momentOf } from '../schemas.ts'
import { attributeFields } from '../user-body.ts'
import { mailWritten } from './user-mails.ts'

const states = ['waiting', 'sent', 'failed', 'expired'] as const
const invitationSchema = Type.Object(
  {
    mail_id: Type.String({ format: 'uuid', description: 'The mail, by which the invitation is named.' }),
    email: Type.String({ description: 'Where it goes.' }),
    language: Type.String(),
    state: Type.Enum([...states], {
      description: '`expired`: its link no longer works; `failed`: its mail could not be sent.',
    }),
    created_at: moment('When its mail was written.'),
    expires_at: Type.Optional(moment('When its link stops working; absent while it has none.')),
  },
  { title: 'OpenInvitation' },
)
const example = {
  mail_id: '019b7a5e-0000-7000-8000-000000000006',
  email: 'ann@example.com',
  language: 'en',
  state: 'sent',
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-08T00:00:00.000Z',
}
const { type: _, ...addressRules } = attributeSchema(userAttributes.email)
const params = Type.Object({ mail_id: Type.String() })

/** /admin/api/invitations. */
export function invitationRoutes(app: App, deps: AdminDeps): void {
  for (const add of [inviteUser, listInvitations, resendInvitation, withdrawInvitation]) add(app, deps)
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
        'Sends a mail with a link that works once, within seven days. The person who follows it chooses a user name and a password; the address is theirs, verified. An earlier invitation of the address ends. It needs OAUTH2_SIGNUP to be `invitation` or `open`.',
      body: Type.Object(
        {
          email: Type.String({ ...unchecked(addressRules), description: 'Where the invitation goes.' }),
          language: Type.Optional(
            Type.Enum([...languageTags], { description: 'The language of the mail, by default English.' }),
          ),
          ...others,
        },
        { title: 'Invitation', examples: [{ email: 'ann@example.com', name: 'Ann Example' }] },
      ),
      response: adminAnswers(mailWritten, 'invalid_request', 'rate_limit_exceeded'),
    },
    async handler(request, reply) {
      const { email: address, language = 'en', ...attributes } = request.body
      const invitation = { address, language, attributes: attributesIn(attributes), actor: actorOf(request) }
      const { mailId } = await mails.inviteUser(invitation)
      return reply.code(202).send({ mail_id: mailId })
    },
  })
}

function listInvitations(app: App, { mails }: AdminDeps): void {
  listRoute(app, {
    url: '/invitations',
    operationId: 'listInvitations',
    summary: 'List the open invitations, newest first',
    description: 'Those that nobody has accepted or withdrawn, of the last 30 days.',
    filters: {},
    item: invitationSchema,
    answer: 'The invitations.',
    example,
    async find(wanted) {
      const { invitations, nextCursor } = await mails.listInvitations(wanted)
      return {
        items: invitations.map(({ mailId, address, language, state, createdAt, expiresAt }) => ({
          mail_id: mailId,
          email: address,
          language,
          state: states.find((known) => known === state) ?? 'waiting',
          created_at: momentOf(createdAt),
          ...(expiresAt && { expires_at: momentOf(expiresAt) }),
        })),
        nextCursor,
      }
    },
  })
}

function resendInvitation(app: App, { mails }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/invitations/:mail_id/resend',
    schema: {
      operationId: 'resendInvitation',
      summary: 'Send an invitation again',
      description: 'In a new mail, with a new link. The earlier link no longer works.',
      params,
      response: adminAnswers(mailWritten, 'invalid_request', 'not_found', 'rate_limit_exceeded'),
    },
    async handler(request, reply) {
      const { mailId } = await mails.resendInvitation({
        mailId: request.params.mail_id,
        actor: actorOf(request),
      })
      return reply.code(202).send({ mail_id: mailId })
    },
  })
}

function withdrawInvitation(app: App, { mails }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/invitations/:mail_id',
    schema: {
      operationId: 'withdrawInvitation',
      summary: 'Withdraw an invitation',
      description: 'Its link no longer works, and its mail is not sent if it waits.',
      params,
      response: adminAnswers(done('The invitation is withdrawn.'), 'not_found'),
    },
    async handler(request, reply) {
      await mails.withdrawInvitation({ mailId: request.params.mail_id, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}
