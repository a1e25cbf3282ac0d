import { bareHost } from '@gatehouse/kit/host'
import { createTransport } from 'nodemailer'
import { MailFailure, type MailTransport } from './mail-transport.ts'
import { takesUtf8 } from './smtp-extensions.ts'

/** In milliseconds. */
const connectTimeout = 10_000
const answerTimeout = 20_000
/** The most characters of a mail server's answer that are kept. */
const longestFailure = 500

/** The needs of sending over SMTP. */
export type SmtpSettings = {
  /** OAUTH2_SMTP_URL. */
  url: string
  /** OAUTH2_MAIL_FROM. */
  from: string
  /** The name by which this server greets the mail server. */
  name: string
}

/**
 * Sends mails over SMTP (RFC 5321). A connection to smtp:// is encrypted where the server offers it, and must be where a password
 * goes over it (RFC 3207); one to smtps:// always is (RFC 8314).
 */
export function createSmtpTransport({ url, from, name }: SmtpSettings): MailTransport {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) }
  const server = {
    name,
    host: bareHost(hostname),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && username !== '',
    ...(username !== '' && { auth }),
    connectionTimeout: connectTimeout,
    greetingTimeout: connectTimeout,
    dnsTimeout: connectTimeout,
    socketTimeout: answerTimeout,
    allowInternalNetworkInterfaces: true,
  }
  const transport = createTransport({ ...server, pool: true, maxConnections: 4 })
  return {
    async send({ id, recipient, subject, text, html, language }) {
      try {
        // RFC 6531 section 3.2: to a server without the extension, such an address must not be sent.
        if ([recipient, from].some(hasUtf8Name) && !(await takesUtf8(server))) throw noUtf8()
        await transport.sendMail({
          from,
          to: { name: '', address: recipient },
          subject,
          text,
          html,
          messageId: `<${id}@${domainOf(from)}>`,
          headers: messageHeaders(language),
          disableFileAccess: true,
          disableUrlAccess: true,
        })
      } catch (error) {
        if (error instanceof MailFailure) throw error
        const { message, responseCode, code } = error as Error & { responseCode?: number; code?: string }
        // A mail server's 5xx is final, but not when it refuses the password or the whole connection.
        const final = code === 'EENVELOPE' || code === 'EMESSAGE' ? (responseCode ?? 0) >= 500 : false
        throw new MailFailure(message.slice(0, longestFailure), { final, cause: error })
      }
    },
    close: () => transport.close(),
  }
}

/** Whether an address has characters beyond ASCII before its domain. Those of a domain have an ASCII form (RFC 5890). */
function hasUtf8Name(address: string): boolean {
  const mailbox = /<([^>]*)>$/.exec(address)?.[1] ?? address
  return /\P{ASCII}/u.test(mailbox.slice(0, mailbox.lastIndexOf('@')))
}

function noUtf8(): MailFailure {
  const message =
    'The mail server takes no address with characters beyond ASCII before the @: it does not offer SMTPUTF8 (RFC 6531).'
  return new MailFailure(message, { final: true })
}

/** Keeps vacation notices away (RFC 3834), and says the language (RFC 3282). */
export function messageHeaders(language: string): Record<string, string> {
  return { 'Auto-Submitted': 'auto-generated', 'Content-Language': language }
}

/** The domain of an address such as `Gatehouse <no-reply@example.com>`. */
export function domainOf(from: string): string {
  return /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'localhost'
}
