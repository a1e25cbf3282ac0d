import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import {
  type GetSessionRequest,
  type GetSessionResponse,
  type IdentityServiceService,
  IdentityServiceService as identityService,
} from '@gatehouse/proto/identity/v1'
import { responsesOf, shareCalls } from './shared-calls.ts'

/** Calls the identity service over gRPC. Sessions that are wanted at the same moment share a call. */
export function identityServiceOver(
  rpc: RpcClient<typeof IdentityServiceService>,
): RpcClient<typeof IdentityServiceService> {
  const getSession = shareCalls<GetSessionRequest, GetSessionResponse>(
    identityService.getSessions,
    (items, deadline) => responsesOf(rpc.getSessions({ items }, { deadline })),
  )
  return { ...rpc, getSession }
}
