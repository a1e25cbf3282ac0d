import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import type { InOrganization } from './acting.ts'
import { unknownOrganization } from './organization.ts'

/** Says what is inside organizations, for lists of what belongs to them. */
export type InsideStore = {
  exists(organizationId: string): Promise<boolean>
  hasMember(organizationId: string, userId: string): Promise<boolean>
}

/** @throws Refusal not_found for an organization that does not exist */
export async function checkOrganization(organization: InOrganization, inside: InsideStore): Promise<void> {
  if (organization === undefined) return
  if (!isOrganizationId(organization) || !(await inside.exists(organization))) throw unknownOrganization()
}

/** @throws Refusal not_found for a user who is no member */
export async function checkMember(userId: string, organization: string, inside: InsideStore): Promise<void> {
  const isMember =
    isOrganizationId(organization) && isUuid(userId) && (await inside.hasMember(organization, userId))
  if (!isMember) throw new Refusal('not_found', 'There is no such member.')
}
