import { randomUUID } from 'node:crypto'
import type { MemberRole } from '@gatehouse/proto/organizations'
import { changeMembers } from '../../src/organizations/members.ts'
import { createOrganization, updateOrganization } from '../../src/organizations/organization-change.ts'
import { actor, type Replica } from '../store/replica.ts'

/** The fields of an organization that are not set. */
export const plain = {
  logoUri: '',
  color: '',
  attributes: {},
  secondFactorRequired: false,
  ssoRequired: false,
}

/** A slug that no other organization has. */
export const newSlug = () => `acme-${randomUUID()}`.slice(0, 40)

/** Creates an organization with members: by the id of each user, what they are. */
export async function addOrganization(
  replica: Replica,
  members: Readonly<Record<string, MemberRole>> = {},
  changes: object = {},
) {
  const settings = { slug: newSlug(), name: 'Acme', ...plain, ...changes }
  const organization = await createOrganization(settings, actor, replica.organizations)
  await setMembers(replica, organization.organizationId, members)
  return organization
}

/** Makes users members, or changes what they are. */
export async function setMembers(
  replica: Replica,
  organizationId: string,
  members: Readonly<Record<string, MemberRole>>,
  { by = actor, actingMember }: { by?: typeof actor; actingMember?: string } = {},
) {
  const set = Object.entries(members).map(([userId, role]) => ({ userId, role }))
  const change = { organizationId, set, remove: [] }
  return (await changeMembers(change, by, replica.organizations, actingMember)).set
}

/** Removes members. */
export async function removeMembers(
  replica: Replica,
  organizationId: string,
  remove: readonly string[],
  { by = actor, actingMember }: { by?: typeof actor; actingMember?: string } = {},
) {
  const change = { organizationId, set: [], remove }
  return (await changeMembers(change, by, replica.organizations, actingMember)).removed
}

/** Disables or enables an organization. */
export function setDisabled(replica: Replica, organizationId: string, disabled: boolean, by = actor) {
  return updateOrganization({ organizationId, revision: 0n, disabled }, by, replica.organizations)
}

/** The kinds and targets of what a replica has told the token service to end, sorted. */
export const endedIn = ({ revoked }: Replica) => revoked.map(({ kind, target }) => `${kind} ${target}`).sort()
