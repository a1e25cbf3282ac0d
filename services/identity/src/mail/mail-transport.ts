import type { ComposedMail } from './composed-mail.ts'

/** A mail to hand over. */
export type OutgoingMail = ComposedMail & { id: string; recipient: string; language: string }

/** Hands mails over for delivery. */
export type MailTransport = {
  /**
   * Resolves when the mail is taken.
   * @throws MailFailure
   */
  send(mail: OutgoingMail): Promise<void>
  /** Reads a mail back, where that is possible. @returns undefined for a mail that is not there */
  read?(id: string): Promise<ComposedMail | undefined>
  close(): void
}

/** A mail was not taken. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure'
  /** Whether trying again is pointless: the mail server refuses this mail for good. */
  readonly final: boolean

  /** @param message for administrators; it may name the recipient, so it does not belong into the log */
  constructor(message: string, { final, cause }: { final: boolean; cause?: unknown }) {
    super(message, { cause })
    this.final = final
  }
}
