import { lookup } from 'node:dns/promises'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { TelemetryServiceService } from '@gatehouse/proto/telemetry/v1'
import { mergeExpositions } from './exposition.ts'

/** What the metrics of the whole system are put together from. */
export type SystemMetricsDeps = {
  /** This process's own. */
  own(): Promise<string>
  instance: string
  /** Service name to gRPC target. */
  targets: Readonly<Record<string, string>>
  /** Told of a replica that gave none. */
  missing(service: string, error: unknown): void
}

/** In milliseconds. */
const timeout = 1_000

/**
 * The metrics of this gateway and of every replica that the services' names resolve to. A replica that does not
 * answer is left out, so that one that is away does not hide the others.
 */
export async function systemMetrics({ own, instance, targets, missing }: SystemMetricsDeps): Promise<string> {
  const gateway = { text: await own(), labels: { service: 'gateway', instance } }
  const services = Object.entries(targets).map(async ([service, target]) => {
    const replicas = await addressesOf(target).catch((error) => {
      missing(service, error)
      return []
    })
    const parts = replicas.map(async (address) => {
      const client = createRpcClient(TelemetryServiceService, address, timeout)
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
  const parts = new Map((await Promise.all(services)).flat().map((part) => [part.labels.instance, part]))
  return mergeExpositions([gateway, ...parts.values()])
}

/** Every address behind a gRPC target, as targets of their own. */
export async function addressesOf(target: string): Promise<string[]> {
  const [, host, port] = /^(?:dns:(?:\/\/[^/]*\/)?)?(.+):(\d+)$/.exec(target) ?? []
  if (host === undefined || port === undefined) return [target]
  const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true })
  return found.map(({ address, family }) =>
    family === 6 ? `ipv6:[${address}]:${port}` : `ipv4:${address}:${port}`,
  )
}
