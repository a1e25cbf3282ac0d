import { startLogoutReceiver } from '@gatehouse/test/servers/logout-receiver'
import { linkIn, type ParsedMail, startMailServer } from '@gatehouse/test/servers/mail-server'
import type { HistoryWriter } from '../history/file.ts'
import { nameOf, readPart } from '../history/names.ts'

/** The programs that Gatehouse sends something to, besides the broker of the events. */
export type Consumers = {
  logoutUrl: string
  mailUrl: string
  /** Writes what arrives from now on into a history. @param now milliseconds since the start of the run */
  record(writer: Pick<HistoryWriter, 'write'>, now: () => number): void
  /** The link of the first mail of each id, since recording began, without those that only tell of a login. */
  links(): ReadonlyMap<string, { url: URL; at: number }>
}

/** One of this many logout tokens and mails is taken, and its sender is told that it was not. */
const oneLostIn = 5
/** The longest time after which a logout token is answered, in milliseconds. */
const slowest = 2_500

/** How the subject of a mail about a login with a new browser begins. */
const loginSubject = 'New login'

/** The user to whom a mail goes: the part of the address before the @. */
function recipientOf({ to }: ParsedMail): string {
  const [first] = [to ?? []].flat()
  return first?.text.split('@')[0] ?? ''
}

/** Starts an app that gets logout tokens and a mail server. Both take everything, and answer slowly, and often wrongly. */
export async function startConsumers(stack: AsyncDisposableStack): Promise<Consumers> {
  let write: Pick<HistoryWriter, 'write'>['write'] = () => undefined
  let now = () => 0
  let links = new Map<string, { url: URL; at: number }>()
  let [tokens, mails] = [0, 0]
  const receiver = await startLogoutReceiver((response) => {
    const accepted = tokens++ % oneLostIn !== 0
    const [, body = ''] = (receiver.forms.pop()?.get('logout_token') ?? '').split('.')
    const { jti = '', sid: session = '', aud: clientId = '', ...others } = readPart(body)
    const digest = nameOf(JSON.stringify({ session, clientId, ...others }))
    write({ is: 'logout token', at: now(), jti, session, clientId, digest, accepted })
    const answer = () => (accepted ? response.end() : response.writeHead(503).end())
    setTimeout(answer, (tokens % 7) * (slowest / 6)).unref()
  })
  stack.defer(() => receiver.close())
  const server = await startMailServer({
    forgets: () => mails++ % oneLostIn === 0,
    received(mail, forgotten) {
      const id = mail.messageId ?? ''
      const url = linkIn(mail)
      // Each attempt has a link of its own.
      const digest = nameOf(`${mail.subject}${mail.text?.replaceAll(url.href, '')}`)
      const loginOf = mail.subject?.startsWith(loginSubject) ? recipientOf(mail) : undefined
      if (loginOf === undefined && !links.has(id)) links.set(id, { url, at: now() })
      write({ is: 'mail', at: now(), id, digest, accepted: !forgotten, ...(loginOf && { loginOf }) })
    },
  })
  stack.defer(() => server.close())
  return {
    logoutUrl: receiver.url,
    mailUrl: server.url,
    record(writer, clock) {
      write = writer.write
      now = clock
      links = new Map()
    },
    links: () => links,
  }
}
