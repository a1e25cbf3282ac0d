import type { Logger } from '@gatehouse/kit/telemetry/log'
import { chooseLanguage } from '@gatehouse/proto/people/languages'
import { linkOfMail, type MailKindName } from '@gatehouse/proto/people/mails'
import { createSecret, digestOf, type RandomBytes } from '../basics/secret.ts'
import type { ComposedMail, MailToCompose } from './composed-mail.ts'
import type { DueMail, MailQueue } from './mail-queue.ts'
import { MailFailure, type MailTransport } from './mail-transport.ts'

/** How the sending of a mail ended: it will be tried again after `failed`, and not after `given_up`. */
export type MailOutcome = 'sent' | 'failed' | 'given_up'

/** The needs of sending mails. */
export type MailSendingDeps = {
  queue: MailQueue
  transport: Pick<MailTransport, 'send'>
  compose(mail: MailToCompose): ComposedMail
  randomBytes: RandomBytes
  counted(kind: MailKindName, outcome: MailOutcome): void
  log: Logger
}

/** How many mails are taken at once. */
const atOnce = 10
/** In seconds: longer than a mail server may take for them. */
const lease = 300
/** In seconds: the pause after the first failure, how much longer each next one is, and the longest. */
const firstPause = 5
const growth = 4
const longestPause = 1_800

/**
 * Creates the sending of mails that are due. A mail is sent again until the mail server has taken it, so a crash may send one
 * twice, but loses none. One that fails does not hold up the others.
 * @returns a function that sends until none is due
 */
export function createMailSending(deps: MailSendingDeps): () => Promise<void> {
  const { queue } = deps
  return async () => {
    while ((await queue.handleRequests(atOnce)) === atOnce);
    for (;;) {
      const mails = await queue.take(atOnce, lease)
      await Promise.all(mails.map((mail) => send(mail, deps)))
      if (mails.length < atOnce) return
    }
  }
}

async function send(mail: DueMail, deps: MailSendingDeps): Promise<void> {
  const { queue, transport, counted, log } = deps
  const { id, kind, attempt } = mail
  try {
    const written = await composed(mail, deps)
    if (written === undefined) {
      // A mail that waits all the same is to a user who was deleted.
      await queue.failed(mail, 'What it was for has ended.', undefined)
      return
    }
    await transport.send({ ...written, id, recipient: mail.recipient })
  } catch (error) {
    const known = error instanceof MailFailure
    const over = (known && error.final) || mail.last
    const retryIn = over ? undefined : Math.min(longestPause, firstPause * growth ** (attempt - 1))
    // The failure's text may name the recipient: administrators read it, the log does not get it.
    const detail = { mail_id: id, kind, attempt, ...(known ? { final: error.final } : { err: error }) }
    log.warn(detail, over ? 'a mail could not be sent and is given up' : 'a mail could not be sent yet')
    counted(kind, over ? 'given_up' : 'failed')
    await queue.failed(mail, known ? error.message : 'The mail could not be written.', retryIn)
    return
  }
  counted(kind, 'sent')
  await queue.sent(mail)
}

/**
 * Composes a mail. Its link gets a secret of its own at every attempt, which is stored nowhere.
 * @returns undefined when the link may not be made any more
 */
async function composed(mail: DueMail, { queue, compose, randomBytes }: MailSendingDeps) {
  const { id: mailId, kind, userId, recipient: address, content } = mail
  const language = chooseLanguage([mail.language])
  const link = linkOfMail(kind)
  const secret = link && createSecret(randomBytes)
  if (link && secret) {
    const { purpose, lifetime } = link
    const digest = digestOf(secret)
    if (!(await queue.addLink({ digest, mailId, purpose, userId, address, content, lifetime })))
      return undefined
  }
  return { ...compose({ kind, language, content, linkSecret: secret }), language }
}
