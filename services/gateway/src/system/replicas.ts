import type { Replica } from '@gatehouse/admin-api/deps'
import { createHealthClient, databaseHealth } from '@gatehouse/kit/rpc/health-client'
import { type Peer, replicasOf } from '@gatehouse/kit/rpc/peer'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { TelemetryServiceService } from '@gatehouse/proto/telemetry/v1'
import { needsDatabase } from './system-state.ts'

/** In milliseconds. */
const timeout = 1_000

/**
 * Looks at every replica that the services' names resolve to. A service without any counts as one replica that does not
 * answer.
 * @param services by name
 */
export async function lookAtReplicas(services: Readonly<Record<string, Peer>>): Promise<Replica[]> {
  const seen = Object.entries(services).map(async ([service, peer]) => {
    const found = await replicasOf(peer).catch(() => [])
    const replicas = await Promise.all(
      (found.length === 0 ? [peer] : found).map((replica) => lookAt(service, replica)),
    )
    // A name may resolve to several addresses of one process.
    const distinct = new Map(replicas.map((replica) => [replica.instance ?? replica.address, replica]))
    return [...distinct.values()]
  })
  return (await Promise.all(seen)).flat()
}

async function lookAt(service: string, peer: Peer): Promise<Replica> {
  const telemetry = createRpcClient(TelemetryServiceService, peer, timeout)
  const health = createHealthClient(peer)
  const deadline = Date.now() + timeout
  const start = performance.now()
  try {
    const [healthy, database, about] = await Promise.all([
      health.isServing('', deadline),
      needsDatabase(service) ? health.isServing(databaseHealth, deadline) : undefined,
      telemetry.getMetrics({}, { deadline }).catch(() => undefined),
    ])
    return {
      service,
      instance: about?.instance || undefined,
      address: peer.target.replace(/^(ipv[46]|dns):(\/\/[^/]*\/)?/, ''),
      version: about && /_build_info\{[^}]*version="([^"]+)"/.exec(about.text)?.[1],
      healthy: healthy === true,
      database,
      answeredInMs: about && Math.round(performance.now() - start),
      generations: about?.generations ?? [],
      gateways: about?.gateways ?? [],
    }
  } finally {
    telemetry.close()
    health.close()
  }
}
