import type { RepeatContext } from '../time/repeat.ts'
import type { Certificates } from './certificates.ts'
import { peerAt } from './peer.ts'
import { createRpcClient, type RpcClient, type Service } from './rpc-client.ts'

/** A client of another service; closed when the process ends. @param timeout in milliseconds */
export function connect<const S extends Service>(
  context: Pick<RepeatContext, 'onShutdown'> & { certificates: Certificates | undefined },
  service: S,
  address: string,
  timeout: number,
): RpcClient<S> {
  const client = createRpcClient(service, peerAt(context, address), timeout)
  context.onShutdown(() => client.close())
  return client
}
