import { keepNothing } from '@gatehouse/data/pending-events'
import type { MemberRole } from '@gatehouse/proto/organizations'
import type { FindRoles, InvitedRole } from '../../src/organizations/invitation.ts'
import { acceptInvitation } from '../../src/organizations/invitation.ts'
import { inviteMember } from '../../src/organizations/invitation-change.ts'
import type { InvitationRpcDeps } from '../../src/rpc/organization-invitation-rpc.ts'
import { mailWriter } from '../../src/store/mail/mails.ts'
import { createInvitationChangeStore } from '../../src/store/organizations/invitation-changes.ts'
import { createOrganizationInvitationStore } from '../../src/store/organizations/invitations.ts'
import { newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, type Replica, useReplicas } from '../store/replica.ts'

/** The needs of invitations to organizations, wired as open-invitations-and-domains.ts does. */
export function invitationDeps(
  { database, organizations: { organizations } }: Replica,
  findRoles: FindRoles = async () => [],
): InvitationRpcDeps {
  const stores = { keepEvent: keepNothing, mails: mailWriter }
  return {
    organizations,
    findRoles,
    invitations: createOrganizationInvitationStore(database, { keepEvent: keepNothing, organizations }),
    invitationChanges: createInvitationChangeStore(database, stores),
    ...{ mailsOn: true, mode: 'open', organizationsOn: true },
  }
}

/** An invitation to make. */
type Wanted = {
  address?: string
  role?: MemberRole
  roles?: readonly InvitedRole[]
  by?: typeof actor
  actingMember?: string
  language?: string
}

/** Replicas of the service that the tests of a file share, with the mailbox of those who are invited. */
export function useInvitations() {
  const shared = useReplicas()
  const mailbox = useMailbox(shared)
  const deps = () => invitationDeps(shared.replica())

  /** Adds a user with an address, and logs them in. */
  async function addPerson(email = newAddress(), verified = true) {
    const user = await shared.addUser()
    await shared.query('update identity.users set attributes = $2 where id = $1', [
      user.id,
      JSON.stringify({ email, email_verified: verified }),
    ])
    const { secret: session } = await shared.browserOf(user.username)
    return { ...user, email, session, acting: { ...actor, id: user.id, name: user.username } }
  }

  const invite = (
    organizationId: string,
    { address = newAddress(), by = actor, actingMember, ...wanted }: Wanted = {},
  ) =>
    inviteMember(
      { organizationId, address, role: 'member', roles: [], language: 'en', ...wanted },
      by,
      deps(),
      actingMember,
    )

  return {
    shared,
    mailbox,
    deps,
    addPerson,
    invite,
    /** Invites an address. @returns the invitation with its mail, and the secret of its link */
    async invited(organizationId: string, wanted: Wanted = {}) {
      const invitation = await invite(organizationId, wanted)
      return { ...invitation, ...(await mailbox.oneFor(invitation.address)) }
    },
    /** Accepts an invitation. @returns why not, or the id of the organization */
    async accept(secret: string, session: string, findRoles?: FindRoles) {
      const accepted = await acceptInvitation(
        { linkSecret: secret, sessionSecret: session, ipAddress: '192.0.2.8', userAgent: 'A browser' },
        findRoles ? invitationDeps(shared.replica(), findRoles) : deps(),
      )
      return 'problem' in accepted ? accepted.problem : accepted.organization.organizationId
    },
    /** The role of a user in an organization. */
    async roleOf(organizationId: string, userId: string) {
      const [member] = await shared.query(
        'select role from identity.organization_members where organization_id = $1 and user_id = $2',
        [organizationId, userId],
      )
      return member?.role as MemberRole | undefined
    },
  }
}
