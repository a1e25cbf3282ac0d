import type { Organization } from '@gatehouse/admin-api/generated/openapi'
import type { Disabling } from '../actions/action.ts'
import { readOnce } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { atOrganization, changeOrganization } from './requests.ts'
import { organizationTexts } from './texts/organization.ts'

/** How organizations are disabled and enabled. */
export function useOrganizationDisabling(): Disabling<Organization> {
  const t = useTexts(organizationTexts)
  return {
    ...t,
    change: ({ organization_id: id }, disabled) => changeOrganization(id, { disabled }),
    read: ({ organization_id: id }) =>
      readOnce('/admin/api/organizations/{organization_id}', atOrganization(id).params),
  }
}
