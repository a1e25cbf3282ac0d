import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { languageTags } from '@gatehouse/proto/people/languages'
import { attributeSchema, attributesIn, userAttributes } from '@gatehouse/proto/people/user-attributes'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { operationRoute } from '../operation.ts'
import { done, moment, momentOf } from '../schemas.ts'
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

/** /admin/api/invitations. */
export function invitationRoutes(app: App, { mails }: AdminDeps): void {
  const { email, email_verified: _, ...others } = attributeFields
  operationRoute(app, {
    route: 'POST /invitations',
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
    answer: mailWritten,
    refusals: ['rate_limit_exceeded'],
    async perform({ body, actor }) {
      const { email: address, language = 'en', ...attributes } = body
      const invitation = { address, language, attributes: attributesIn(attributes), actor }
      const { mailId } = await mails.inviteUser(invitation)
      return { mail_id: mailId }
    },
  })

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

  operationRoute(app, {
    route: 'POST /invitations/:mail_id/resend',
    operationId: 'resendInvitation',
    summary: 'Send an invitation again',
    description: 'In a new mail, with a new link. The earlier link no longer works.',
    answer: mailWritten,
    refusals: ['not_found', 'rate_limit_exceeded'],
    async perform({ params, actor }) {
      const { mailId } = await mails.resendInvitation({ mailId: params.mail_id, actor })
      return { mail_id: mailId }
    },
  })

  operationRoute(app, {
    route: 'DELETE /invitations/:mail_id',
    operationId: 'withdrawInvitation',
    summary: 'Withdraw an invitation',
    description: 'Its link no longer works, and its mail is not sent if it waits.',
    answer: done('The invitation is withdrawn.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => mails.withdrawInvitation({ mailId: params.mail_id, actor }),
  })
}
