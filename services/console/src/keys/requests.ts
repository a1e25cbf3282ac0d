import type { KeyToRotate } from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'

/** Rotates the key of an algorithm. @returns the new key */
export function rotateKey(body: KeyToRotate) {
  return dataOf(api.POST('/admin/api/keys/rotate', { body }))
}
