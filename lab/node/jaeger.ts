import { join } from 'node:path'
import { addressOf, kubectl } from './cluster.ts'

/** A span as Jaeger tells it. */
export type Span = {
  service: string
  /** The pod that sent it. */
  pod: string
  name: string
  failed: boolean
  /** The other traces that it links to. */
  links: string[]
}

type Tags = { key: string; value: unknown }[]
type Trace = {
  spans: {
    traceID: string
    operationName: string
    processID: string
    references?: { traceID: string }[]
    tags: Tags
  }[]
  processes: Record<string, { serviceName: string; tags: Tags }>
}

const manifest = join(import.meta.dirname, 'jaeger/jaeger.yaml')
const namespace = 'tracing'

/** Where the services send their traces. */
export const endpoint = `http://jaeger.${namespace}:4318`

let query = ''

/** Starts Jaeger in the cluster. */
export async function startJaeger(): Promise<void> {
  await kubectl('-n', namespace, 'apply', '-f', manifest)
  await kubectl('-n', namespace, 'rollout', 'status', 'deployment/jaeger', '--timeout=60s')
  query = `http://${await addressOf('jaeger', namespace)}:16686/api/traces`
}

/** Ends it. */
export async function stopJaeger(): Promise<void> {
  await kubectl('-n', namespace, 'delete', '-f', manifest, '--ignore-not-found')
}

const tagOf = (tags: Tags, wanted: string) => tags.find(({ key }) => key === wanted)?.value

/** Asks Jaeger for all spans of a trace; none while it knows no such trace. */
export async function spansOf(trace: string): Promise<Span[]> {
  const response = await fetch(`${query}/${trace}`, { signal: AbortSignal.timeout(10_000) })
  if (response.status === 404) return []
  const text = await response.text()
  if (!response.ok) throw new Error(`Jaeger: ${response.status} ${text}`)
  const { data } = JSON.parse(text) as { data: Trace[] }
  return data.flatMap(({ spans, processes }) =>
    spans.map(({ traceID, operationName, processID, references = [], tags }) => {
      const from = processes[processID]
      return {
        service: from?.serviceName ?? '',
        pod: String(tagOf(from?.tags ?? [], 'k8s.pod.name')),
        name: operationName,
        failed: tagOf(tags, 'error') === true,
        links: references.map((reference) => reference.traceID).filter((id) => id !== traceID),
      }
    }),
  )
}
