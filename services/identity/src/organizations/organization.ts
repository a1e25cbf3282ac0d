import { type ListRequest, type ListStore, listAdministered } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import type { Page } from '@gatehouse/kit/page'
import { organizations } from '@gatehouse/proto/administered/organizations'
import { isOrganizationId, isSlug } from '@gatehouse/proto/organizations'
import type { OrganizationSettings } from './organization-fields.ts'

/** A customer of whoever runs the server. */
export type Organization = OrganizationSettings & {
  organizationId: string
  createdAt: Date
  /** undefined: it is active. */
  disabledAt: Date | undefined
  /** Rises with each change of the fields, but not of the members. */
  revision: bigint
  /** The columns of its list without a field here. */
  columns: Readonly<Record<string, unknown>>
}

/** Reads organizations. */
export type OrganizationStore = ListStore<typeof organizations, Organization> & {
  get(which: { organizationId: string } | { slug: string }): Promise<Organization | undefined>
}

/**
 * Organizations for administrators. A search may be a whole id.
 * @throws Refusal as listAdministered
 */
export function listOrganizations(
  request: ListRequest,
  store: OrganizationStore,
): Promise<Page<Organization> & { total: number }> {
  return listAdministered(organizations, request, {
    total: store.total,
    async list(wanted) {
      const organizationId = wanted.search?.toLowerCase()
      const found =
        organizationId !== undefined && isOrganizationId(organizationId)
          ? await store.get({ organizationId })
          : undefined
      return found ? { items: [found], nextCursor: undefined } : store.list(wanted)
    },
  })
}

/**
 * Finds an organization, disabled ones too.
 * @param named its id or its slug
 * @throws Refusal not_found
 */
export async function getOrganization(
  named: string,
  store: Pick<OrganizationStore, 'get'>,
): Promise<Organization> {
  const which = whichOf(named)
  const organization = which && (await store.get(which))
  if (organization === undefined) throw unknownOrganization()
  return organization
}

function whichOf(named: string) {
  if (isOrganizationId(named)) return { organizationId: named }
  return isSlug(named) ? { slug: named } : undefined
}

/** The refusal for what names no organization, or none that the acting member belongs to. */
export function unknownOrganization(): Refusal {
  return new Refusal('not_found', 'There is no such organization.')
}
