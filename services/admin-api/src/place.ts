import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from './deps.ts'

/** The field for the place of an IP address. */
export const placeField = {
  place: Type.Optional(
    Type.String({
      description: 'Where the address is, in English; absent if unknown (`OAUTH2_GEOIP_DATABASE`).',
    }),
  ),
}

/** The place of an IP address, as a field of an answer. */
export function placeOf(ipAddress: string, { places }: Pick<AdminDeps, 'places'>): { place?: string } {
  const place = places(ipAddress, 'en')
  return place === undefined ? {} : { place }
}
