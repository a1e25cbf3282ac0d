import type { TestSystem } from '@gatehouse/test/system'

/** The samples of an exposition: the value of each series, by the series as it is written. */
export type Samples = ReadonlyMap<string, number>

/** The prefix of Gatehouse's own metrics. */
const prefix = 'oauth2_server_'

/** The samples in a text of the Prometheus exposition format. */
export function samplesIn(text: string): Samples {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    const end = line.lastIndexOf(' ')
    if (line !== '' && !line.startsWith('#')) samples.set(line.slice(0, end), Number(line.slice(end + 1)))
  }
  return samples
}

/** The metrics of each process, by the name of its service. */
export async function expositions({
  processes,
}: Pick<TestSystem, 'processes'>): Promise<Record<string, string>> {
  const texts = processes.map(async ({ name, internalPort }) => {
    const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`)
    return [name, await response.text()]
  })
  return Object.fromEntries(await Promise.all(texts))
}

/**
 * The samples of processes. Series of the same name in several processes are added up.
 * @param processes all, unless one of them cannot answer
 */
export async function samplesOf({ processes }: Pick<TestSystem, 'processes'>): Promise<Samples> {
  const all = new Map<string, number>()
  for (const text of Object.values(await expositions({ processes })))
    for (const [series, value] of samplesIn(text)) all.set(series, (all.get(series) ?? 0) + value)
  return all
}

/**
 * The value of a metric: the sum of all its series with these labels.
 * @param name without the prefix
 * @returns undefined when there is no such series
 */
export function figure(
  samples: Samples,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const found = [...samples].filter(([series]) => {
    const [own = ''] = series.split('{', 1)
    return own === `${prefix}${name}` && pairs.every((pair) => series.includes(pair))
  })
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0)
}
