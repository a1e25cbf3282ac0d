import { createHealthClient, databaseHealth } from '@gatehouse/kit/health-client'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { TelemetryServiceService } from '@gatehouse/proto/telemetry/v1'
import { addressesOf } from '../system-metrics.ts'

/** A process of the system, as it was seen just now. */
export type Replica = {
  service: string
  /** Names it among its replicas; empty: it gave no answer. */
  instance: string
  /** Where it takes calls; empty: it was not called, it is this gateway. */
  address: string
  /** Its release; empty: it gave no answer. */
  version: string
  healthy: boolean
  /** Whether it reaches its database; undefined: it has none. */
  database: boolean | undefined
  /** How long it took to answer, in milliseconds. */
  answeredInMs: number | undefined
}

/** Services that keep no state. */
const stateless: ReadonlySet<string> = new Set(['events'])
/** In milliseconds. */
const timeout = 1_000

/**
 * Looks at every replica that the services' names resolve to. A service that none is found of is one replica that does
 * not answer.
 * @param targets service name to gRPC target
 */
export async function lookAtReplicas(targets: Readonly<Record<string, string>>): Promise<Replica[]> {
  const services = Object.entries(targets).map(async ([service, target]) => {
    const addresses = await addressesOf(target).catch(() => [])
    const found = addresses.length === 0 ? [target] : addresses
    const replicas = await Promise.all(found.map((address) => lookAt(service, address)))
    // A name may resolve to several addresses of one process.
    const distinct = new Map(replicas.map((replica) => [replica.instance || replica.address, replica]))
    return [...distinct.values()]
  })
  return (await Promise.all(services)).flat()
}

async function lookAt(service: string, address: string): Promise<Replica> {
  const telemetry = createRpcClient(TelemetryServiceService, address, timeout)
  const health = createHealthClient(address)
  const deadline = Date.now() + timeout
  const start = performance.now()
  try {
    const [healthy, database, about] = await Promise.all([
      health.isServing('', deadline),
      stateless.has(service) ? undefined : health.isServing(databaseHealth, deadline),
      telemetry.getMetrics({}, { deadline }).catch(() => undefined),
    ])
    return {
      service,
      instance: about?.instance ?? '',
      address: address.replace(/^(ipv[46]|dns):(\/\/[^/]*\/)?/, ''),
      version: /_build_info\{[^}]*version="([^"]*)"/.exec(about?.text ?? '')?.[1] ?? '',
      healthy,
      database,
      answeredInMs: about && Math.round(performance.now() - start),
    }
  } finally {
    telemetry.close()
    health.close()
  }
}
