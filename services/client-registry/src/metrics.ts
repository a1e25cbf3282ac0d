import { Gauge, metricPrefix, type Registry } from '@gatehouse/kit/metrics'

/** The client registry's gauges. */
export type ClientRegistryMetrics = {
  /** Sets the number of clients; undefined when another replica reports it. */
  setTotal(count: number | undefined): void
}

/** The client registry's own metrics. */
export function clientRegistryMetrics(registry: Registry): ClientRegistryMetrics {
  // A gauge despite its name, which is that of a counter: clients are deleted, too.
  const total = new Gauge({
    name: `${metricPrefix}oauth_clients_total`,
    help: 'Registered clients, including disabled ones; reported by one replica.',
    registers: [registry],
  })
  total.remove()
  return { setTotal: (count) => (count === undefined ? total.remove() : total.set(count)) }
}
