import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  MailLinkPurpose,
  type Mail as MailMessage,
  MailServiceService,
  MailState,
} from '@gatehouse/proto/mail/v1'
import {
  inviteUser,
  listInvitations,
  sendInvitationAgain,
  withdrawInvitation,
} from '../accounts/invitation.ts'
import {
  getMail,
  listMails,
  type MailListDeps,
  type MailRecord,
  retryMail,
  sendUserLink,
} from '../accounts/mail-list.ts'

/** The RPCs with which administrators invite users, and view and send mails. */
export function mailListRpcs(deps: MailListDeps) {
  return handlersOf(MailServiceService, {
    async inviteUser({ actor, ...invitation }) {
      return { mailId: await inviteUser(invitation, readActor(actor), deps) }
    },

    async listInvitations(request) {
      const { items, nextCursor } = await listInvitations(request, deps)
      return {
        invitations: items.map(({ id, ...invitation }) => ({ ...invitation, mailId: id })),
        nextCursor,
      }
    },

    async resendInvitation({ mailId, actor }) {
      return { mailId: await sendInvitationAgain(mailId, readActor(actor), deps) }
    },

    async withdrawInvitation({ mailId, actor }) {
      await withdrawInvitation(mailId, readActor(actor), deps)
      return {}
    },

    async sendUserLink({ userId, purpose, actor }) {
      const wanted = { userId, purpose: userPurposeOf(purpose) }
      return { mailId: await sendUserLink(wanted, readActor(actor), deps) }
    },

    async listMails({ state, ...request }) {
      const { items, nextCursor } = await listMails({ ...request, state: stateOf(state) }, deps)
      return { mails: items.map(mailMessage), nextCursor }
    },

    async getMail({ mailId }) {
      const { mail, text } = await getMail(mailId, deps)
      return { mail: mailMessage(mail), text }
    },

    async retryMail({ mailId, actor }) {
      await retryMail(mailId, readActor(actor), deps)
      return {}
    },
  })
}

/** @throws Refusal invalid_request */
function userPurposeOf(purpose: MailLinkPurpose): 'password_reset' | 'address' {
  if (purpose === MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET) return 'password_reset'
  if (purpose === MailLinkPurpose.MAIL_LINK_PURPOSE_ADDRESS) return 'address'
  throw new Refusal('invalid_request', 'purpose is invalid.')
}

const states = {
  waiting: MailState.MAIL_STATE_WAITING,
  sent: MailState.MAIL_STATE_SENT,
  failed: MailState.MAIL_STATE_FAILED,
} as const

/** @throws Refusal invalid_request */
function stateOf(state: MailState): MailRecord['state'] | undefined {
  if (state === MailState.MAIL_STATE_UNSPECIFIED) return undefined
  const [name] = Object.entries(states).find(([, value]) => value === state) ?? []
  if (name === undefined) throw new Refusal('invalid_request', 'state is invalid.')
  return name as MailRecord['state']
}

function mailMessage({ id, state, dueAt, ...mail }: MailRecord): MailMessage {
  return { ...mail, mailId: id, state: states[state], dueAt: state === 'waiting' ? dueAt : undefined }
}
