import type { TestSystem } from '@gatehouse/test/system'

/**
 * A figure of the gateway's own metrics, from the port where nothing is ever refused.
 * @param name without the prefix
 * @throws Error when there is none
 */
export async function gatewayMetric(
  system: TestSystem,
  name: string,
  labels: Record<string, string> = {},
): Promise<number> {
  const gateway = system.processes.find((one) => one.name === 'gateway')
  const response = await fetch(`http://127.0.0.1:${gateway?.internalPort}/metrics`)
  const text = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const series = `oauth2_server_${name}${text.length > 0 ? `{${text.join(',')}}` : ''} `
  const line = (await response.text()).split('\n').find((one) => one.startsWith(series))
  if (line === undefined) throw new Error(`there is no ${series}`)
  return Number(line.slice(series.length))
}
