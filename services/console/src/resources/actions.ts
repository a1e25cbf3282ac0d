import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { readOnce } from '../api.ts'
import type { Disabling } from '../parts/action.ts'
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
