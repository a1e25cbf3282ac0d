import { setTimeout as sleep } from 'node:timers/promises'
import { type Collector, type ReceivedSpan, startCollector } from '@gatehouse/test/otlp'
import { settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Found, type Step } from '../findings.ts'
import { askForToken, type Client, register, send, theClient } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'
import { nodeAddress } from '../places.ts'

/** A trace that a caller begins. */
const newTrace = () => {
  const id = crypto.randomUUID().replaceAll('-', '')
  return { id, headers: { traceparent: `00-${id}-00f067aa0ba902b7-01` } }
}

/** Waits for the spans of some services in a trace, and expects that each service's are of one pod of its own. */
async function spansOf(collector: Collector, trace: string, services: string[]): Promise<ReceivedSpan[]> {
  const spans = () => collector.spans.filter(({ traceId }) => traceId === trace)
  const of = (name: string) => spans().filter(({ service }) => service === `gatehouse-${name}`)
  await until(
    `the trace has spans of ${services}`,
    async () => services.every((name) => of(name).length > 0),
    30_000,
  ).catch((error) =>
    expectThat(false, `${error}; it has ${spans().map(({ service, name }) => `${service} ${name}`)}`),
  )
  for (const name of services) {
    const pods = new Set(of(name).map(({ resource }) => String(resource['k8s.pod.name'])))
    const [pod = ''] = pods
    expectThat(pods.size === 1 && pod.startsWith(`gatehouse-${name}-`), `the pods of ${name}: ${[...pods]}`)
  }
  const failed = spans().filter((span) => span.failed)
  expectThat(failed.length === 0, `failed spans: ${failed.map(({ service, name }) => `${service} ${name}`)}`)
  return spans()
}

const inPods = (spans: ReceivedSpan[]) => {
  const pods = new Set(spans.map(({ resource }) => resource['k8s.pod.name']))
  return `${spans.length} spans of ${[...pods].join(' and ')}`
}

export const traces: Step = {
  name: 'traces',
  title: 'One trace of one token across the pods, in a collector outside of them',
  async run(found) {
    const collector = await startCollector({ host: nodeAddress, port: 4318 })
    try {
      await upgrade(`otel.endpoint=${collector.url}`)
      await settled()
      // The first request lets Redis read the script of the limits, after a call of it that must fail.
      await askForToken(await theClient())
      await lookAtTraces(found, collector)
    } finally {
      await collector.close()
    }
    const load = startLoad(await theClient())
    await sleep(8_000)
    const attempts = await load.stop()
    expectNoFailure(attempts, 'while the collector was away')
    found('tokens while the collector was away', inWords(attempts))
    await upgrade('otel.endpoint=')
    await settled()
  },
}

async function lookAtTraces(found: Found, collector: Collector): Promise<void> {
  const registration = newTrace()
  const client = await register(registration.headers)
  found(
    'the trace of a registration',
    inPods(await spansOf(collector, registration.id, ['gateway', 'client-registry'])),
  )
  const token = newTrace()
  await askIn(token.headers, client)
  const spans = await spansOf(collector, token.id, ['gateway', 'token'])
  found('the trace of a token', inPods(spans))
  const linked = () => {
    const ids = new Set(spans.flatMap(({ links }) => links.map(({ traceId }) => traceId)))
    return collector.spans.filter(({ traceId }) => ids.has(traceId))
  }
  const stored = () => linked().some(({ name }) => name.includes('insert_access_tokens'))
  await until('the batch that it links to has its statement', async () => stored(), 30_000)
  found('the batch that carried it, which it links to', inPods(linked()))
}

async function askIn(headers: object, { id, secret }: Client): Promise<void> {
  const body = 'grant_type=client_credentials&scope=read'
  const { status, text } = await send('/oauth/token', { auth: `${id}:${secret}`, body, headers })
  expectThat(status === 200, `the token: ${status} ${text}`)
}
