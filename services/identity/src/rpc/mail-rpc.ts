import { Refusal } from '@gatehouse/kit/errors'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  AddressRequestOutcome,
  type CompletePasswordResetResponse,
  type CompleteSignUpResponse,
  MailServiceService as mailService,
  MailLinkPurpose as PurposeMessage,
} from '@gatehouse/proto/mail/v1'
import type { MailLinkPurpose } from '@gatehouse/proto/people/mails'
import {
  type AddressConfirmationDeps,
  confirmAddress,
  requestAddressConfirmation,
} from '../accounts/address-confirmation.ts'
import { getMailLink, type MailLinkStore } from '../accounts/mail-link.ts'
import type { MailListDeps } from '../accounts/mail-list.ts'
import {
  completePasswordReset,
  type PasswordRecoveryDeps,
  requestPasswordReset,
} from '../accounts/password-recovery.ts'
import { completeSignUp, requestSignUp, type SignUpDeps } from '../accounts/sign-up.ts'
import { mailListRpcs } from './mail-list-rpc.ts'
import { newSessionMessage, pendingLoginMessage } from './session-rpc.ts'

/** The needs of the domain functions behind the RPCs about mails. */
export type MailRpcDeps = {
  links: MailLinkStore
  signUp: SignUpDeps
  recovery: PasswordRecoveryDeps
  confirmation: AddressConfirmationDeps
  list: MailListDeps
}

/** The RPCs about mails, and for what people do by links in mails. */
export function mailRpcs({ links, signUp, recovery, confirmation, list }: MailRpcDeps): Implementation {
  return implement(mailService, {
    ...mailListRpcs(list),

    getMailOptions: async () => ({ mails: list.mailsOn, signUp: signUp.mode === 'open' }),

    requestSignUp: async (request) => ({ problem: await requestSignUp(request, signUp) }),

    async requestPasswordReset(request) {
      await requestPasswordReset(request, recovery)
      return {}
    },

    async requestAddressConfirmation(request) {
      return { outcome: addressOutcomes[await requestAddressConfirmation(request, confirmation)] }
    },

    async getMailLink({ secret, purpose }) {
      return { link: await getMailLink({ secret, purpose: purposeOf(purpose) }, links) }
    },

    async completeSignUp({ previousSessionSecret, ...form }): Promise<CompleteSignUpResponse> {
      const result = await completeSignUp({ ...form, previousSecret: previousSessionSecret }, signUp)
      switch (result.outcome) {
        case 'signed up': {
          const { login, returnTo } = result
          const value =
            login.outcome === 'right'
              ? { session: newSessionMessage(login.value), pending: undefined, returnTo }
              : { session: undefined, pending: pendingLoginMessage(login.pending), returnTo }
          return { outcome: { $case: 'signedUp', value } }
        }
        case 'link over':
          return { outcome: { $case: 'linkOver', value: {} } }
        case 'problem':
          return { outcome: { $case: 'problem', value: result.problem } }
      }
    },

    async completePasswordReset(request): Promise<CompletePasswordResetResponse> {
      const result = await completePasswordReset(request, recovery)
      switch (result.outcome) {
        case 'reset': {
          const { username, returnTo } = result
          return { outcome: { $case: 'reset', value: { username, returnTo } } }
        }
        case 'link over':
          return { outcome: { $case: 'linkOver', value: {} } }
        case 'problem':
          return { outcome: { $case: 'problem', value: result.problem } }
      }
    },

    confirmAddress: async ({ secret }) => ({ confirmed: await confirmAddress(secret, confirmation) }),
  })
}

const addressOutcomes = {
  sent: AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_SENT,
  invalid: AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_INVALID,
  unchanged: AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_UNCHANGED,
  'login too old': AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_LOGIN_TOO_OLD,
  'too many': AddressRequestOutcome.ADDRESS_REQUEST_OUTCOME_TOO_MANY,
} as const

/** @throws Refusal invalid_request */
export function purposeOf(purpose: PurposeMessage): Exclude<MailLinkPurpose, 'organization'> {
  switch (purpose) {
    case PurposeMessage.MAIL_LINK_PURPOSE_SIGN_UP:
      return 'sign_up'
    case PurposeMessage.MAIL_LINK_PURPOSE_PASSWORD_RESET:
      return 'password_reset'
    case PurposeMessage.MAIL_LINK_PURPOSE_ADDRESS:
      return 'address'
    default:
      throw new Refusal('invalid_request', 'purpose is invalid.')
  }
}
