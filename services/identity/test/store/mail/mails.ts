import { randomBytes } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import {
  linkIn,
  type MailServer,
  type ParsedMail,
  startMailServer,
} from '@gatehouse/test/servers/mail-server'
import { afterAll, beforeAll, expect } from 'vitest'
import { composeMail } from '../../../src/mail/composed-mail.ts'
import { mailBrand } from '../../../src/mail/mail-brand.ts'
import { createMailSending, type MailOutcome } from '../../../src/mail/mail-sending.ts'
import type { MailTransport } from '../../../src/mail/mail-transport.ts'
import { createSmtpTransport } from '../../../src/mail/smtp-transport.ts'
import type { MailRpcDeps } from '../../../src/rpc/mail-rpc.ts'
import { createAddressConfirmationStore } from '../../../src/store/accounts/address-confirmations.ts'
import { createInvitationStore } from '../../../src/store/accounts/invitations.ts'
import { createPasswordRecoveryStore } from '../../../src/store/accounts/password-recoveries.ts'
import { createSignUpStore } from '../../../src/store/accounts/sign-ups.ts'
import { createMailLinkStore } from '../../../src/store/mail/mail-links.ts'
import { createMailListStore } from '../../../src/store/mail/mail-list.ts'
import { createMailQueue } from '../../../src/store/mail/mail-queue.ts'
import { mailWriter } from '../../../src/store/mail/mails.ts'
import type { Replica, useReplicas } from '../replica.ts'

/** The public base URL in mails. */
export const baseUrl = 'https://login.example.com'
const from = 'Gatehouse <no-reply@login.example.com>'

/** The needs of the RPCs about mails, wired as main.ts does. */
export function mailDeps({ database, login, deliver, admin, names }: Replica): MailRpcDeps {
  const on = { mailsOn: true, mode: 'open' } as const
  const shared = { deliver, emit: emitNothing, hashing: login.hashing }
  return {
    links: createMailLinkStore(database),
    signUp: { ...login, ...on, signUps: createSignUpStore(database), names },
    recovery: {
      ...shared,
      ...on,
      recoveries: createPasswordRecoveryStore(database, { recorded: false, mails: mailWriter }),
    },
    confirmation: {
      ...on,
      addresses: createAddressConfirmationStore(database, mailWriter),
      emit: emitNothing,
    },
    list: {
      ...on,
      mails: createMailListStore(database, { keepEvent: keepNothing, mails: mailWriter }),
      invitations: createInvitationStore(database, { keepEvent: keepNothing, mails: mailWriter }),
      users: admin.list,
      read: undefined,
    },
  }
}

/** A replica's sending of mails, through any transport. */
export function sendingOf({ database }: Replica, transport: Pick<MailTransport, 'send'>) {
  const { log, lines } = recordedLog()
  const outcomes: MailOutcome[] = []
  const send = createMailSending({
    queue: createMailQueue(database),
    transport,
    compose: (mail) => composeMail(mail, { brand: mailBrand({}), baseUrl }),
    randomBytes,
    counted: (_, outcome) => outcomes.push(outcome),
    log,
  })
  return { send, outcomes, lines }
}

/** Sends over SMTP to a server. */
export const smtpTo = (url: string) => createSmtpTransport({ url, from, name: 'auth.example.com' })

/** A mail server for a test file, and what arrives there. */
export function useMailbox(shared: ReturnType<typeof useReplicas>) {
  let server: MailServer | undefined
  let transport: MailTransport | undefined
  beforeAll(async () => {
    server = await startMailServer()
    transport = smtpTo(server.url)
  })
  afterAll(async () => {
    transport?.close()
    await server?.close()
  })

  /** Sends what waits, and returns the mails that arrive for an address. */
  async function arriving(address: string): Promise<ParsedMail[]> {
    if (server === undefined || transport === undefined) throw new Error('call this from a test')
    const before = server.mails.length
    await sendingOf(shared.replica(), transport).send()
    return server.mails.slice(before).filter(({ to }) => to !== undefined && toText(to) === address)
  }
  /** The one mail that arrives for an address. */
  async function mailFor(address: string): Promise<ParsedMail> {
    const mails = await arriving(address)
    expect(mails.map(({ subject }) => subject)).toHaveLength(1)
    return mails[0] as ParsedMail
  }
  return {
    arriving,
    mailFor,
    /** The one mail that arrives for an address, and the secret of its link. */
    async oneFor(address: string) {
      const mail = await mailFor(address)
      return { mail, link: linkIn(mail), secret: linkIn(mail).searchParams.get('token') ?? '' }
    },
  }
}

function toText(to: NonNullable<ParsedMail['to']>): string {
  return [to].flat().flatMap(({ value }) => value.map(({ address }) => address))[0] ?? ''
}

let addresses = 0

/** An address that no other test has. */
export function newAddress(): string {
  addresses += 1
  return `person${addresses}.${process.pid}@example.com`
}
