import type { App } from '@gatehouse/http/app'
import { type Mail, MailState } from '@gatehouse/proto/mail/v1'
import { mailKindNames } from '@gatehouse/proto/people/mails'
import { Type } from '@gatehouse/proto/typebox'
import { administratorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { operationRoute } from '../operation.ts'
import { done, moment, momentOf } from '../schemas.ts'

const mailFields = {
  mail_id: Type.String({ format: 'uuid' }),
  kind: Type.String({ description: `One of ${mailKindNames.map((name) => `\`${name}\``).join(', ')}.` }),
  user_id: Type.Optional(Type.String({ description: 'Absent for a person without an account.' })),
  recipient: Type.String({ description: 'The e-mail address.' }),
  language: Type.String(),
  state: Type.Enum(['waiting', 'sent', 'failed'], {
    description: '`failed`: it is not tried any more.',
  }),
  attempts: Type.Integer({ description: 'How often it was tried.' }),
  created_at: moment('When it was written.'),
  due_at: Type.Optional(moment('When it is tried next; only while it waits.')),
  ended_at: Type.Optional(moment('When it was sent or given up.')),
  failure: Type.Optional(
    Type.String({ description: 'Why the last attempt failed, as the mail server said it.' }),
  ),
}
const mailSchema = Type.Object(mailFields, { title: 'Mail' })
const mailWithTextSchema = Type.Object(
  {
    ...mailFields,
    text: Type.Optional(
      Type.Object(
        { subject: Type.String(), text: Type.String(), html: Type.String() },
        { description: 'What the recipient reads; only where mails are files, and once it is written.' },
      ),
    ),
  },
  { title: 'MailWithText' },
)
const example = {
  mail_id: '019b7a5e-0000-7000-8000-000000000006',
  kind: 'password_reset',
  user_id: '019b7a5e-0000-7000-8000-000000000002',
  recipient: 'ann@example.com',
  language: 'en',
  state: 'sent',
  attempts: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  ended_at: '2026-01-01T00:00:01.000Z',
}

const states = {
  waiting: MailState.MAIL_STATE_WAITING,
  sent: MailState.MAIL_STATE_SENT,
  failed: MailState.MAIL_STATE_FAILED,
} as const

/** The state of mails that a parameter names; any for an empty one. */
export function mailStateNamed(name: string): MailState {
  return Object.hasOwn(states, name) ? states[name as keyof typeof states] : MailState.MAIL_STATE_UNSPECIFIED
}

/** The name of a mail's state. */
export function mailStateName(state: MailState): keyof typeof states {
  if (state === MailState.MAIL_STATE_SENT) return 'sent'
  return state === MailState.MAIL_STATE_FAILED ? 'failed' : 'waiting'
}

/** /admin/api/mails. */
export function mailRoutes(app: App, { mails }: AdminDeps): void {
  listRoute(app, {
    url: '/mails',
    operationId: 'listMails',
    summary: 'List mails, newest first',
    description: 'Mails are kept for 30 days after they were sent or given up.',
    filters: {
      user_id: Type.Optional(Type.String({ description: 'Only mails to this user.' })),
      recipient: Type.Optional(Type.String({ description: 'Only mails to this address.' })),
      kind: Type.Optional(Type.Enum([...mailKindNames], { description: 'Only mails of this kind.' })),
      state: Type.Optional(Type.Enum(['waiting', 'sent', 'failed'])),
    },
    item: mailSchema,
    answer: 'The mails.',
    example,
    async find({ user_id: userId, recipient, kind, state = '', cursor, limit }) {
      const filter = { userId: userId || undefined, recipient: recipient || undefined, kind }
      const wanted = { cursor, limit, ...filter, state: mailStateNamed(state) }
      const { mails: found, nextCursor } = await mails.listMails(wanted)
      return { items: found.map(mailBody), nextCursor }
    },
  })

  operationRoute(app, {
    route: 'GET /mails/:mail_id',
    operationId: 'getMail',
    summary: 'Get a mail',
    description: 'Its text, whose links are secret, is given only to those who may administer everything.',
    answer: { 200: mailWithTextSchema },
    refusals: ['not_found'],
    async perform({ params, request }) {
      const { mail, text } = await mails.getMail({ mailId: params.mail_id })
      if (mail === undefined) throw new Error('the service gave no mail')
      const { limited } = administratorOf(request).actor
      return { ...mailBody(mail), ...(text && !limited && { text }) }
    },
  })

  operationRoute(app, {
    route: 'POST /mails/:mail_id/retry',
    operationId: 'retryMail',
    summary: 'Send a mail again that has failed',
    answer: done('The mail will be sent.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => mails.retryMail({ mailId: params.mail_id, actor }),
  })
}

function mailBody({ mailId, userId, state, createdAt, dueAt, endedAt, failure, ...mail }: Mail) {
  return {
    mail_id: mailId,
    kind: mail.kind,
    ...(userId !== undefined && { user_id: userId }),
    recipient: mail.recipient,
    language: mail.language,
    state: mailStateName(state),
    attempts: mail.attempts,
    created_at: momentOf(createdAt),
    ...(dueAt && { due_at: momentOf(dueAt) }),
    ...(endedAt && { ended_at: momentOf(endedAt) }),
    ...(failure !== undefined && { failure }),
  }
}
