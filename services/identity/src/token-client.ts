import type { RpcClient } from '@gatehouse/kit/rpc-client'
import { RevocationKind, type TokenServiceService } from '@gatehouse/proto/token/v1'
import type { DeliveryDeps } from './pending-revocations.ts'

const kinds = {
  user: RevocationKind.REVOCATION_KIND_USER,
  consent: RevocationKind.REVOCATION_KIND_CONSENT,
} as const

/** The token service as the identity service tells it of revocations. */
export function revokeOver(
  rpc: Pick<RpcClient<typeof TokenServiceService>, 'revokeMany'>,
): DeliveryDeps['revoke'] {
  return async ({ kind, target, issuedBefore }) => {
    await rpc.revokeMany({ kind: kinds[kind], id: target, issuedBefore })
  }
}
