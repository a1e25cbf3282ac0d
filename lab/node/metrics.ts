import { get } from 'node:http'
import type { Pod } from './cluster.ts'

/** The text of a pod's metrics, from its internal port. The node itself is let in, as for probes. */
export function metricsOf({ status }: Pod): Promise<string> {
  return new Promise((resolve, reject) => {
    get(
      { host: status.podIP, port: 9464, path: '/metrics', agent: false, timeout: 5_000 },
      async (response) => {
        let text = ''
        for await (const chunk of response.setEncoding('utf8')) text += chunk
        resolve(text)
      },
    ).on('error', reject)
  })
}

/** The sum of all samples of a metric in a text. */
export function sumOf(text: string, metric: string): number {
  const lines = text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

/** How many tokens each pod of the token service has issued. */
export function issuedBy(pods: Pod[]): Promise<number[]> {
  const issued = 'oauth2_server_oauth_token_issued_total'
  return Promise.all(pods.map(async (pod) => sumOf(await metricsOf(pod), issued)))
}
