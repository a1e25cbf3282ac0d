import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. */
export type { ParsedMail } from 'mailparser'

/** How a mail server behaves. */
export type MailServerOptions = {
  port?: number
  /** The recipients that it refuses for good. */
  refuses?: (recipient: string) => boolean
  /** Demands this login, and offers STARTTLS. */
  login?: { user: string; password: string }
  /** Refuses each mail for now, as a server does that is too busy. */
  busy?: boolean
  /** Takes only addresses of ASCII characters. */
  asciiOnly?: boolean
  /** Whether it keeps a mail and says that it did not, as when its answer is lost. */
  forgets?: () => boolean
  /** Called with each mail that it keeps, instead of adding it to `mails`. */
  received?: (mail: ParsedMail, forgotten: boolean) => void
}

/** A mail server (SMTP) that keeps what it gets. */
export type MailServer = {
  url: string
  port: number
  /** The mails that it got, oldest first. */
  mails: ParsedMail[]
  /** Whether each mail came over an encrypted connection. */
  encrypted: boolean[]
  /** The name by which each mail's sender greeted it. */
  greetings: string[]
  close(): Promise<void>
}

/** Starts a mail server on loopback. */
export async function startMailServer({
  port = 0,
  refuses = () => false,
  login,
  busy = false,
  asciiOnly = false,
  forgets = () => false,
  received,
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: ParsedMail[] = []
  const encrypted: boolean[] = []
  const greetings: string[] = []
  const server = new SMTPServer({
    disabledCommands: login ? [] : ['AUTH', 'STARTTLS'],
    hideSMTPUTF8: asciiOnly,
    authOptional: login === undefined,
    onAuth({ username, password }, _session, done) {
      const right = username === login?.user && password === login?.password
      if (right) done(null, { user: username ?? '' })
      else done(new Error('wrong user or password'))
    },
    onRcptTo({ address }, _session, done) {
      if (refuses(address))
        done(Object.assign(new Error(`${address} is unknown here`), { responseCode: 550 }))
      else done()
    },
    onData(stream, session, done) {
      simpleParser(stream).then(
        (mail) => {
          const later = Object.assign(new Error('try again later'), { responseCode: 451 })
          if (busy) return done(later)
          const forgotten = forgets()
          if (received) received(mail, forgotten)
          else {
            mails.push(mail)
            encrypted.push(session.secure)
            greetings.push(session.hostNameAppearsAs)
          }
          done(forgotten ? later : null)
        },
        (error) => done(error),
      )
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: ownPort } = server.server.address() as AddressInfo
  const credentials = login ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@` : ''
  return {
    url: `smtp://${credentials}127.0.0.1:${ownPort}`,
    port: ownPort,
    mails,
    encrypted,
    greetings,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The link in a mail's text that leads to a page of ours. */
export function linkIn(mail: Pick<ParsedMail, 'text'>): URL {
  const [address] = /https?:\/\/\S+/.exec(mail.text ?? '') ?? []
  if (address === undefined) throw new Error('the mail has no link')
  return new URL(address)
}
