import type { TokenToRevoke } from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'

/** Revokes a token. A refresh token takes all tokens of its grant with it. */
export function revokeToken(body: TokenToRevoke) {
  return dataOf(api.POST('/admin/api/tokens/revoke', { body }))
}
