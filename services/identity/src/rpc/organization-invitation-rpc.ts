import { readActor } from '@gatehouse/kit/actor'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  type AcceptInvitationResponse,
  type Invitation as InvitationMessage,
  InvitationServiceService,
  InvitationProblem as ProblemMessage,
} from '@gatehouse/proto/organization/v1'
import type { SignUpMode } from '../accounts/sign-up.ts'
import {
  acceptInvitation,
  getInvitation,
  type Invitation,
  type InvitationDeps,
  type InvitationProblem,
  listInvitations,
} from '../organizations/invitation.ts'
import {
  type InvitationChangeDeps,
  inviteMember,
  sendInvitationAgain,
  withdrawInvitation,
} from '../organizations/invitation-change.ts'
import { memberRoleMessage, memberRoleOf, organizationMessage } from './organization-rpc.ts'

/** The needs of the domain functions behind the RPCs about invitations to organizations. */
export type InvitationRpcDeps = InvitationDeps & InvitationChangeDeps & { mode: SignUpMode }

/** The RPCs about invitations to organizations. */
export function invitationRpcs(deps: InvitationRpcDeps): Implementation {
  return implement(InvitationServiceService, {
    async listInvitations(request) {
      const { items, nextCursor } = await listInvitations(request, deps)
      return { invitations: items.map(invitationMessage), nextCursor }
    },

    async createInvitation({ actor, actingMember, email: address, role, ...invitation }) {
      const wanted = { ...invitation, address, role: memberRoleOf(role) }
      return {
        invitation: invitationMessage(await inviteMember(wanted, readActor(actor), deps, actingMember)),
      }
    },

    async sendInvitationAgain({ actor, actingMember, ...which }) {
      return {
        invitation: invitationMessage(await sendInvitationAgain(which, readActor(actor), deps, actingMember)),
      }
    },

    async withdrawInvitation({ actor, actingMember, ...which }) {
      await withdrawInvitation(which, readActor(actor), deps, actingMember)
      return {}
    },

    async getInvitation({ linkSecret }) {
      const found = await getInvitation(linkSecret, deps)
      return {
        invitation: found && invitationMessage(found.invitation),
        organization: found && organizationMessage(found.organization),
        addressKnown: found?.addressKnown ?? false,
        maySignUp: deps.mode !== 'closed',
      }
    },

    async acceptInvitation(request): Promise<AcceptInvitationResponse> {
      const accepted = await acceptInvitation(request, deps)
      if ('problem' in accepted) return { outcome: { $case: 'problem', value: problems[accepted.problem] } }
      return { outcome: { $case: 'accepted', value: organizationMessage(accepted.organization) } }
    },
  })
}

const problems: Readonly<Record<InvitationProblem, ProblemMessage>> = {
  over: ProblemMessage.INVITATION_PROBLEM_UNSPECIFIED,
  nobody: ProblemMessage.INVITATION_PROBLEM_NOBODY,
  'other address': ProblemMessage.INVITATION_PROBLEM_OTHER_ADDRESS,
  unverified: ProblemMessage.INVITATION_PROBLEM_UNVERIFIED,
  'too many': ProblemMessage.INVITATION_PROBLEM_TOO_MANY,
  full: ProblemMessage.INVITATION_PROBLEM_FULL,
}

function invitationMessage({ address, role, roles, ...invitation }: Invitation): InvitationMessage {
  return { ...invitation, email: address, role: memberRoleMessage(role), roles: [...roles] }
}
