import type { TestSystem } from '@gatehouse/test/system'
import { figure, samplesIn } from '../telemetry/metrics-samples.ts'

/**
 * A value of the gateway's own metrics, from the internal port, which never refuses a request.
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
  const value = figure(samplesIn(await response.text()), name, labels)
  if (value === undefined) throw new Error(`there is no ${name} with ${JSON.stringify(labels)}`)
  return value
}
