import type { Handlers } from '@gatehouse/kit/rpc-server'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'

/**
 * What gateways of 0.2.0 send for their dashboard. Nothing is kept of it, so that their dashboard shows no traffic while a
 * system is upgraded. It goes with the release after this one.
 */
export const releasedTrafficRpcs: Pick<
  Handlers<typeof IdentityServiceService>,
  'recordTraffic' | 'listTraffic'
> = {
  recordTraffic: async () => ({}),
  listTraffic: async () => ({ samples: [] }),
}
