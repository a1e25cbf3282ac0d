import { randomBytes } from 'node:crypto'
import type { BrandVariables } from '@gatehouse/kit/people/brand'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import { repeat } from '@gatehouse/kit/time/repeat'
import type { SignUpMode } from './accounts/sign-up.ts'
import { composeMail } from './mail/composed-mail.ts'
import { mailBrand } from './mail/mail-brand.ts'
import { mailMetrics } from './mail/mail-metrics.ts'
import type { MailQueue } from './mail/mail-queue.ts'
import { createMailSending } from './mail/mail-sending.ts'
import type { MailTransport } from './mail/mail-transport.ts'
import { smtpName } from './mail/smtp-name.ts'
import type { MailVariables } from './mail/variables.ts'

/** In milliseconds. */
const sendEvery = 1_000
const countEvery = 10_000

/** The variables that mails need. */
type MailConfig = MailVariables &
  BrandVariables & { OAUTH2_SERVER_PUBLIC_BASE_URL: string; OAUTH2_SIGNUP: SignUpMode }

/** Mails, as the rest of the service uses them. */
export type Mails = {
  /** Whether mails can be sent. */
  mailsOn: boolean
  /** OAUTH2_SIGNUP; closed where no mails can be sent. */
  mode: SignUpMode
  /** Reads the text of a mail, where mails are files. */
  read: MailTransport['read']
}

/** Sends mails as long as the process runs. Every replica sends. */
export function openMails(context: ProcessContext<MailConfig>, queue: MailQueue): Mails {
  const { config, log, registry, onShutdown } = context
  const brand = mailBrand(config)
  const transport = openTransport(config, brand.name)
  if (transport === undefined) return { mailsOn: false, mode: 'closed', read: undefined }
  onShutdown(() => transport.close())
  const baseUrl = config.OAUTH2_SERVER_PUBLIC_BASE_URL
  const { counted, setBacklog } = mailMetrics(registry)
  const sendDue = createMailSending({
    queue,
    transport,
    compose: (mail) => composeMail(mail, { brand, baseUrl }),
    randomBytes,
    counted,
    log,
  })
  repeat(context, 'sending mails', sendEvery, sendDue)
  repeat(context, 'counting mails', countEvery, async () => setBacklog(await queue.backlog()))
  return { mailsOn: true, mode: config.OAUTH2_SIGNUP, read: transport.read }
}

function openTransport(
  {
    OAUTH2_SMTP_URL: url,
    OAUTH2_SMTP_EHLO_NAME,
    OAUTH2_MAIL_DIRECTORY: directory,
    OAUTH2_MAIL_FROM,
    OAUTH2_SERVER_PUBLIC_BASE_URL,
  }: MailConfig,
  brandName: string,
): MailTransport | undefined {
  const { hostname } = new URL(OAUTH2_SERVER_PUBLIC_BASE_URL)
  // The quotes let the name have a comma. It has no quotes itself.
  const from = OAUTH2_MAIL_FROM ?? `"${brandName}" <no-reply@${hostname}>`
  if (url !== undefined)
    return openedOnFirstUse(async () => {
      const { createSmtpTransport, domainOf } = await import('./mail/smtp-transport.ts')
      const name = OAUTH2_SMTP_EHLO_NAME ?? smtpName(hostname, domainOf(from))
      return createSmtpTransport({ url, from, name })
    })
  if (directory === undefined) return undefined
  const files = openedOnFirstUse(async () => {
    const { createFileTransport } = await import('./mail/file-transport.ts')
    return createFileTransport(directory, from)
  })
  return { ...files, read: files.readBack }
}

/** A transport that is opened for the first mail: to load what it is made of was an eighth of the CPU time of the start. */
function openedOnFirstUse(open: () => Promise<MailTransport>) {
  let opened: Promise<MailTransport> | undefined
  const transport = () => {
    opened ??= open().catch((error) => {
      // The next mail tries again.
      opened = undefined
      throw error
    })
    return opened
  }
  return {
    send: async (mail) => (await transport()).send(mail),
    readBack: async (id: string) => (await transport()).read?.(id),
    close: () =>
      void opened?.then(
        (transport) => transport.close(),
        () => undefined,
      ),
  } satisfies MailTransport & { readBack: NonNullable<MailTransport['read']> }
}
