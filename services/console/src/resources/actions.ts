import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import type { Disabling } from '../actions/action.ts'
import { readOnce } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { atResource, changeResource } from './requests.ts'
import { resourceTexts } from './texts.ts'

/** How resource servers are disabled and enabled. */
export function useResourceDisabling(): Disabling<ResourceServer> {
  const t = useTexts(resourceTexts)
  return {
    ...t,
    change: ({ resource_id: id }, disabled) => changeResource(id, { disabled }),
    read: ({ resource_id: id }) => readOnce('/admin/api/resources/{resource_id}', atResource(id).params),
  }
}
