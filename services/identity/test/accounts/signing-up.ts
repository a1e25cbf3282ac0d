import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { requestSignUp, type SignUpForm } from '../../src/accounts/sign-up.ts'
import { mailDeps, useMailbox } from '../store/mail/mails.ts'
import { useReplicas } from '../store/replica.ts'

/** A name that nobody has. */
export const newName = () => `user-${randomUUID()}`

/** The form behind the link of an invitation or a sign-up. @param secret that of the link */
export const signUpForm = (secret: string, changes: Partial<SignUpForm> = {}): SignUpForm => ({
  secret,
  username: newName(),
  password: 'a long new password',
  language: 'de',
  ipAddress: '192.0.2.7',
  userAgent: 'A browser',
  previousSecret: undefined,
  ...changes,
})

/** Replicas of the service that the tests of a file share, and the mailbox of the people who sign up. */
export function useSignUps() {
  const shared = useReplicas()
  const mailbox = useMailbox(shared)
  const deps = () => mailDeps(shared.replica())
  return {
    shared,
    mailbox,
    deps,
    /** Signs an address up. @returns the mail, and the link in it with its secret */
    async linkFor(address: string, returnTo?: string) {
      expect(await requestSignUp({ address, language: 'en', returnTo }, deps().signUp)).toBeUndefined()
      return mailbox.oneFor(address)
    },
  }
}
