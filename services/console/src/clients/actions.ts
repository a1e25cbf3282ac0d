import type { OAuthClient } from '@gatehouse/admin-api/generated/openapi'
import type { Action, Disabling } from '../actions/action.ts'
import { readOnce } from '../api.ts'
import { useTexts } from '../texts/language.ts'
import { atClient, changeClient, revokeClientTokens } from './requests.ts'
import { clientTexts } from './texts.ts'

/** How clients are disabled and enabled. */
export function useClientDisabling(): Disabling<OAuthClient> {
  const t = useTexts(clientTexts)
  return {
    ...t,
    change: ({ client_id: id }, disabled) => changeClient(id, { disabled }),
    read: ({ client_id: id }) => readOnce('/admin/api/clients/{client_id}', atClient(id).params),
  }
}

/** Revokes all tokens of clients. */
export function useClientRevocation(): Action<OAuthClient> {
  const t = useTexts(clientTexts)
  return {
    label: t.revoke,
    color: 'red',
    consequences: [t.revokeText],
    perform: ({ client_id: id }) => revokeClientTokens(id),
    done: t.revoked,
    doneAll: t.revokedAll,
  }
}
