import type { Handlers } from '@gatehouse/kit/rpc-server'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'

/**
 * Gateways of release 0.2.0 send and read the traffic of their dashboard here. Nothing is stored, so their dashboard shows no
 * traffic while a system is upgraded. The release after this one removes these RPCs.
 */
export const releasedTrafficRpcs: Pick<
  Handlers<typeof IdentityServiceService>,
  'recordTraffic' | 'listTraffic'
> = {
  recordTraffic: async () => ({}),
  listTraffic: async () => ({ samples: [] }),
}
