import { setTimeout as sleep } from 'node:timers/promises'
import { settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Found, type Step } from '../findings.ts'
import { askForToken, type Client, register, send, theClient } from '../gateway.ts'
import { endpoint, type Span, spansOf, startJaeger, stopJaeger } from '../jaeger.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'

/** A trace that a caller begins. */
const newTrace = () => {
  const id = crypto.randomUUID().replaceAll('-', '')
  return { id, headers: { traceparent: `00-${id}-00f067aa0ba902b7-01` } }
}

/** Waits until Jaeger has spans of some services in a trace, and expects that each service's are of one pod of its own. */
async function traceAcross(trace: string, services: string[]): Promise<Span[]> {
  let spans: Span[] = []
  const of = (name: string) => spans.filter(({ service }) => service === `gatehouse-${name}`)
  const isThere = async () => {
    spans = await spansOf(trace)
    return services.every((name) => of(name).length > 0)
  }
  await until(`the trace has spans of ${services}`, isThere, 30_000).catch((error) =>
    expectThat(false, `${error}; it has ${spans.map(({ service, name }) => `${service} ${name}`)}`),
  )
  for (const name of services) {
    const pods = new Set(of(name).map(({ pod }) => pod))
    const [pod = ''] = pods
    expectThat(pods.size === 1 && pod.startsWith(`gatehouse-${name}-`), `the pods of ${name}: ${[...pods]}`)
  }
  const failed = spans.filter((span) => span.failed)
  expectThat(failed.length === 0, `failed spans: ${failed.map(({ service, name }) => `${service} ${name}`)}`)
  return spans
}

const inPods = (spans: Span[]) =>
  `${spans.length} spans of ${[...new Set(spans.map(({ pod }) => pod))].join(' and ')}`

export const traces: Step = {
  name: 'traces',
  title: 'One trace of one token across the pods, in Jaeger',
  async run(found) {
    await startJaeger()
    try {
      await upgrade(`otel.endpoint=${endpoint}`)
      await settled()
      // The first request lets Redis read the script of the limits, after a call of it that must fail.
      await askForToken(await theClient())
      await lookAtTraces(found)
    } finally {
      await stopJaeger()
    }
    const load = startLoad(await theClient())
    await sleep(8_000)
    const attempts = await load.stop()
    expectNoFailure(attempts, 'while Jaeger was away')
    found('tokens while Jaeger was away', inWords(attempts))
    await upgrade('otel.endpoint=')
    await settled()
  },
}

async function lookAtTraces(found: Found): Promise<void> {
  const registration = newTrace()
  const client = await register(registration.headers)
  found(
    'the trace of a registration',
    inPods(await traceAcross(registration.id, ['gateway', 'client-registry'])),
  )
  const token = newTrace()
  await askIn(token.headers, client)
  const spans = await traceAcross(token.id, ['gateway', 'token'])
  found('the trace of a token', inPods(spans))
  const links = new Set(spans.flatMap((span) => span.links))
  let linked: Span[] = []
  const isStored = async () => {
    linked = (await Promise.all([...links].map(spansOf))).flat()
    return linked.some(({ name }) => name.includes('insert_access_tokens'))
  }
  await until('the batch that it links to has its statement', isStored, 30_000)
  found('the batch that carried it, which it links to', inPods(linked))
}

async function askIn(headers: object, { id, secret }: Client): Promise<void> {
  const body = 'grant_type=client_credentials&scope=read'
  const { status, text } = await send('/oauth/token', { auth: `${id}:${secret}`, body, headers })
  expectThat(status === 200, `the token: ${status} ${text}`)
}
