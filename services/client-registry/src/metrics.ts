import { Gauge, metricPrefix, type Registry } from '@gatehouse/kit/metrics'

/** What the client registry measures. */
export type ClientRegistryMetrics = {
  /** Says how many clients there are; undefined where another replica says it. */
  setTotal(count: number | undefined): void
}

/** The client registry's own metrics. */
export function clientRegistryMetrics(registry: Registry): ClientRegistryMetrics {
  // Clients are deleted, too: by its name it would be a counter, which never falls.
  const total = new Gauge({
    name: `${metricPrefix}oauth_clients_total`,
    help: 'Registered clients, those that are disabled too; told by one replica.',
    registers: [registry],
  })
  total.remove()
  return { setTotal: (count) => (count === undefined ? total.remove() : total.set(count)) }
}
