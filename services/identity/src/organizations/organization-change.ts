import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isOrganizationId, organizationLimits } from '@gatehouse/proto/organizations'
import {
  type ActingMember,
  type CheckOrganization,
  checkAdministers,
  checkOrganizationReach,
  checkOwns,
  checkRuns,
} from './acting.ts'
import { type Organization, unknownOrganization } from './organization.ts'
import { checkSettings, type OrganizationSettings, type SentSettings } from './organization-fields.ts'

/** A change of an organization. Absent fields stay as they are, and so does an undefined slug. */
export type OrganizationChange = Partial<OrganizationSettings> & {
  /** The revision that the caller saw; 0 for any. */
  revision: bigint
  disabled?: boolean | undefined
}

/** Stores changes to organizations. Each writes an audit entry with its actor in the same transaction. */
export type OrganizationChangeStore = {
  create(settings: OrganizationSettings, actor: Actor): Promise<Organization | 'slug taken' | 'too many'>
  /**
   * Changes an organization while it is locked. Disabling it records a pending revocation of what was granted in it.
   * @param check when it throws, nothing changes
   * @returns the organization, and the ids of the pending revocations; or why nothing was done
   */
  change(
    organizationId: string,
    change: OrganizationChange,
    actor: Actor,
    check: CheckOrganization,
    actingMember: ActingMember,
  ): Promise<
    { organization: Organization; revocationIds: readonly bigint[] } | 'unknown' | 'outdated' | 'slug taken'
  >
  /**
   * Deletes an organization with all that is in it, and records a pending revocation that also covers what is granted later.
   * @returns the ids of the pending revocations
   */
  delete(
    organizationId: string,
    actor: Actor,
    check: CheckOrganization,
  ): Promise<readonly bigint[] | 'unknown'>
}

/** The needs of changing organizations. */
export type OrganizationChangeDeps = {
  changes: OrganizationChangeStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * Creates an organization without members.
 * @throws Refusal invalid_request, which names the field
 */
export async function createOrganization(
  settings: SentSettings,
  actor: Actor,
  { changes }: Pick<OrganizationChangeDeps, 'changes'>,
): Promise<Organization> {
  const created = await changes.create(checkSettings(settings), actor)
  if (created === 'slug taken') throw slugTaken()
  if (created === 'too many') {
    const most = organizationLimits.organizations.toLocaleString('en')
    throw new Refusal('invalid_request', `There are ${most} organizations already, the most there may be.`)
  }
  return created
}

/**
 * Changes an organization, disables or enables it. Disabling ends what was granted in it until then; enabling brings none of that back.
 * Owners change neither the attributes nor whether it is disabled, and admins not the slug either.
 * @param change an absent field stays as it is
 * @throws Refusal not_found, also for an acting member who does not belong to it and where it is disabled; outdated_revision;
 *   invalid_request, which names the field; access_denied for what the actor may not do
 */
export async function updateOrganization(
  {
    organizationId,
    revision,
    disabled,
    ...sent
  }: Partial<SentSettings> & { organizationId: string; revision: bigint; disabled?: boolean | undefined },
  actor: Actor,
  { changes, deliver }: OrganizationChangeDeps,
  actingMember?: ActingMember,
): Promise<Organization> {
  const wanted = { ...checkSettings(sent), revision, ...(disabled !== undefined && { disabled }) }
  const check: CheckOrganization = (organization) => {
    checkRuns(organization)
    if (sent.slug !== undefined) checkOwns(organization, actor)
    if (sent.attributes !== undefined || disabled !== undefined) checkAdministers(organization)
    checkOrganizationReach(organization, actor)
  }
  const changed = isOrganizationId(organizationId)
    ? await changes.change(organizationId, wanted, actor, check, actingMember)
    : 'unknown'
  if (changed === 'unknown') throw unknownOrganization()
  if (changed === 'slug taken') throw slugTaken()
  if (changed === 'outdated')
    throw new Refusal(
      'outdated_revision',
      'This organization was changed meanwhile. Reload it and try again.',
    )
  await deliver(...changed.revocationIds)
  return changed.organization
}

/**
 * Deletes an organization with its members, groups, roles and consents, and ends everything that was granted in it.
 * @throws Refusal not_found; access_denied as checkOrganizationReach
 */
export async function deleteOrganization(
  organizationId: string,
  actor: Actor,
  { changes, deliver }: OrganizationChangeDeps,
): Promise<void> {
  const check: CheckOrganization = (organization) => checkOrganizationReach(organization, actor)
  const deleted = isOrganizationId(organizationId)
    ? await changes.delete(organizationId, actor, check)
    : 'unknown'
  if (deleted === 'unknown') throw unknownOrganization()
  await deliver(...deleted)
}

function slugTaken(): Refusal {
  return new Refusal('invalid_request', 'slug is that of another organization.')
}
