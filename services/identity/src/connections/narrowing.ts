import type { ConnectionSettings } from './connection.ts'

type Admitting = Pick<ConnectionSettings, 'issuer' | 'tenants' | 'acrValues' | 'trustsSecondFactor'>

/**
 * Whether a change narrows by whom or how somebody may log in by a connection: by another issuer, without a tenant that was allowed, by
 * stricter acr values, or without the provider's word for a second factor. Then the logins from before the change end.
 */
export function narrows(before: Admitting, after: Admitting): boolean {
  return (
    before.issuer !== after.issuer ||
    isFewer(before.tenants, after.tenants) ||
    isFewer(valuesOf(before.acrValues), valuesOf(after.acrValues)) ||
    (before.trustsSecondFactor && !after.trustsSecondFactor)
  )
}

/** Whether something that was allowed no longer is. An empty list allows everything. */
function isFewer(before: readonly string[], after: readonly string[]): boolean {
  if (after.length === 0) return false
  return before.length === 0 || before.some((one) => !after.includes(one))
}

function valuesOf(acrValues: string | undefined): string[] {
  return acrValues === undefined ? [] : acrValues.split(' ')
}
