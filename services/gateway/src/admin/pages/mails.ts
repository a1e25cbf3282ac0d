import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { mailStateName, mailStateNamed } from '@gatehouse/admin-api/routes/mails'
import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { Mail } from '@gatehouse/proto/mail/v1'
import { type MailKindName, mailKinds } from '@gatehouse/proto/mails'
import type { MailFacts } from './contents.ts'
import { afterwards, pageSchema, pageSize, pagesOf, queryFrom, sendAdminPage } from './page.ts'
import { idOf } from './question.ts'

const section = '/admin/mails'
const config = { page: true } as const

/** /admin/mails, the mails to users, each with its text where mails are files. */
export function mailPages(app: App, { mails }: Pick<AdminDeps, 'mails'>): void {
  app.route({
    method: 'GET',
    url: section,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { user_id = '', recipient = '', state = '', cursor = '' } = queryFrom(request)
      const filter = { user_id, recipient: recipient.trim(), state }
      const { mails: found, nextCursor } = await mails.listMails({
        cursor,
        limit: pageSize,
        userId: user_id,
        recipient: filter.recipient,
        kind: '',
        state: mailStateNamed(state),
      })
      const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))
      return sendAdminPage(request, reply, 'admin/mails', {
        items: found.map(factsOf),
        ...pagesOf(section, chosen, cursor, nextCursor),
        filter,
      })
    },
  })

  app.route({
    method: 'GET',
    url: `${section}/:id`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const { mail, text } = await mails.getMail({ mailId: idOf(request) })
      if (mail === undefined) throw new Refusal('not_found', 'There is no such mail.')
      // It stands in a line of its own; anything else may be what somebody has chosen as their name.
      const [link] = /^https?:\/\/\S+$/m.exec(text?.text ?? '') ?? []
      return sendAdminPage(request, reply, 'admin/mail', { mail: factsOf(mail), text, link })
    },
  })

  app.route({
    method: 'POST',
    url: `${section}/:id/retry`,
    config,
    schema: pageSchema,
    async handler(request, reply) {
      const mailId = idOf(request)
      await mails.retryMail({ mailId, actor: actorOf(request) })
      return afterwards(reply, `${section}/${mailId}`, 'mail-retried')
    },
  })
}

function factsOf({ kind, state, ...mail }: Mail): MailFacts {
  const known = Object.hasOwn(mailKinds, kind) ? mailKinds[kind as MailKindName].label : kind
  return { ...mail, kind: known, state: mailStateName(state) }
}
