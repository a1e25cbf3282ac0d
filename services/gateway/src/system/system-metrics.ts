import { type Peer, replicasOf } from '@gatehouse/kit/rpc/peer'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { TelemetryServiceService } from '@gatehouse/proto/telemetry/v1'
import { mergeExpositions } from './exposition.ts'

/** The needs of systemMetrics. */
export type SystemMetricsDeps = {
  /** This process's own. */
  own(): Promise<string>
  instance: string
  /** By name. */
  services: Readonly<Record<string, Peer>>
  /** Called for a service or replica that gave no metrics. */
  missing(service: string, error: unknown): void
}

/** In milliseconds. */
const timeout = 1_000

/**
 * Gathers the metrics of this gateway and of every replica that the services' names resolve to. A replica that does not
 * answer is left out, so that it does not hide the others.
 */
export async function systemMetrics({
  own,
  instance,
  services,
  missing,
}: SystemMetricsDeps): Promise<string> {
  const gateway = { text: await own(), labels: { service: 'gateway', instance } }
  const gathered = Object.entries(services).map(async ([service, peer]) => {
    const replicas = await replicasOf(peer).catch((error) => {
      missing(service, error)
      return []
    })
    const parts = replicas.map(async (replica) => {
      const client = createRpcClient(TelemetryServiceService, replica, timeout)
      try {
        const { text, instance } = await client.getMetrics({})
        return [{ text, labels: { service, instance } }]
      } catch (error) {
        missing(service, error)
        return []
      } finally {
        client.close()
      }
    })
    return (await Promise.all(parts)).flat()
  })
  // A name may resolve to several addresses of one process.
  const parts = new Map((await Promise.all(gathered)).flat().map((part) => [part.labels.instance, part]))
  return mergeExpositions([gateway, ...parts.values()])
}
