import { isOrganizationId, isSlug } from '@gatehouse/proto/organizations'
import type { NeededOrganization } from '../../organizations/organization-of-grant.ts'
import type { Column } from '../columns.ts'

/** The columns of a use of a grant for the organization that it needs. */
export const neededOrganizationColumns: readonly Column<{ organization: NeededOrganization }>[] = [
  { name: 'organization_mode', type: 'text', value: ({ organization }) => organization.mode },
  { name: 'asked_organization', type: 'text', value: ({ organization }) => askedId(organization) },
]

/** The id of the organization that was asked for; empty for what names none. A slug is judged before the statement. */
export function askedId({ asked }: NeededOrganization): string | undefined {
  if (asked === undefined || isSlug(asked)) return undefined
  return isOrganizationId(asked) ? asked : ''
}

/**
 * The condition that a grant is of an organization as it is needed.
 * @param row the alias of a row with organization_id
 * @param mode the SQL of what the client may do in organizations
 * @param asked the SQL of the id of the one that was asked for; null for any
 */
export const fitsOrganizationSql = (row: string, mode: string, asked: string) => `(
  case when ${row}.organization_id is null then ${mode} <> 'required' and ${asked} is null
    else ${mode} <> 'off' and coalesce(${row}.organization_id = ${asked}, true) end
)`
