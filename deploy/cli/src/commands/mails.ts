import { languageTags } from '@gatehouse/proto/people/languages'
import { mailKindNames } from '@gatehouse/proto/people/mails'
import { type Command, Option } from 'commander'
import { dataOf } from '../api.ts'
import { adderTo, type CommandDeps } from '../command.ts'
import { addList, type List, page } from '../list.ts'
import { fields } from '../output.ts'

const list: List<'/admin/api/mails'> = {
  path: '/admin/api/mails',
  description: 'list mails to users, newest first',
  options: {
    user_id: new Option('--user <id>', 'only mails to this user'),
    recipient: new Option('--recipient <address>', 'only mails to this address'),
    kind: new Option('--kind <kind>', 'only mails of this kind').choices([...mailKindNames]),
    state: new Option('--state <state>', 'only mails in this state').choices(['waiting', 'sent', 'failed']),
    ...page,
  },
  columns: {
    id: 'mail_id',
    written: 'created_at',
    recipient: 'recipient',
    kind: 'kind',
    state: 'state',
    attempts: 'attempts',
    failure: 'failure',
  },
  nothing: 'No mails.',
}

const at = (id: string) => ({ params: { path: { mail_id: id } } })

/** gatehouse mails … */
export function mailCommands(program: Command, deps: CommandDeps): void {
  const mails = program.command('mails').description('mails to users')
  const add = adderTo(mails, deps)
  addList(mails, 'list', list, deps)

  add('show <mail>', 'show one mail, with its text where mails are files', async (api, id: string) => {
    const mail = await dataOf(api.GET('/admin/api/mails/{mail_id}', at(id)))
    const facts = fields({
      id: mail.mail_id,
      recipient: mail.recipient,
      kind: mail.kind,
      language: mail.language,
      state: mail.state,
      written: mail.created_at,
      'tried next': mail.due_at,
      ended: mail.ended_at,
      attempts: mail.attempts,
      failure: mail.failure,
      subject: mail.text?.subject,
    })
    return { json: mail, text: mail.text ? `${facts}\n\n${mail.text.text}` : facts }
  })

  add('retry <mail>', 'send a mail again that has failed', async (api, id: string) => {
    await dataOf(api.POST('/admin/api/mails/{mail_id}/retry', at(id)))
    return { json: { mail_id: id, state: 'waiting' }, text: 'The mail will be sent.' }
  })
}

/** The option for the language of a mail. */
export const languageOption = new Option('--language <tag>', 'the language of the mail').choices([
  ...languageTags,
])
