import { type ReceivedSpan, startCollector } from '@gatehouse/test/otlp'
import { settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Step } from '../findings.ts'
import { register, send, theClient } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'
import { nodeAddress } from '../places.ts'

/** The namespace and pod of a span's process, as its resource says. */
const podOf = ({ resource }: ReceivedSpan) => `${resource['k8s.namespace.name']}/${resource['k8s.pod.name']}`

export const traces: Step = {
  name: 'traces',
  title: 'One trace of one token, in a collector outside of the pods',
  async run(found) {
    const collector = await startCollector({ host: nodeAddress, port: 4318 })
    try {
      await upgrade(`otel.endpoint=${collector.url}`)
      await settled()
      await theClient()
      // A new one, so that the token service must look it up.
      const { id, secret } = await register()
      const traceId = crypto.randomUUID().replaceAll('-', '')
      const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
      const body = 'grant_type=client_credentials&scope=read'
      const { status, text } = await send('/oauth/token', { auth: `${id}:${secret}`, body, headers })
      expectThat(status === 200, `the token: ${status} ${text}`)
      const spans = () => collector.spans.filter((span) => span.traceId === traceId)
      const wanted = ['gatehouse-gateway', 'gatehouse-token', 'gatehouse-client-registry']
      await until(
        'the trace has spans of three services',
        async () => wanted.every((service) => spans().some((span) => span.service === service)),
        30_000,
      )
      const by = (service: string) => spans().filter((span) => span.service === service)
      for (const service of wanted) {
        const named = new Set(by(service).map(podOf))
        const [pod = ''] = named
        expectThat(
          named.size === 1 && pod.startsWith(`gatehouse/${service}-`),
          `the pods of ${service}: ${[...named]}`,
        )
        found(service, `${by(service).length} spans, by ${pod.replace(/^gatehouse\//, '')}`)
      }
      expectThat(
        spans().every(({ failed }) => !failed),
        'a span failed',
      )
    } finally {
      await collector.close()
    }
    const load = startLoad(await theClient())
    await new Promise((resolve) => setTimeout(resolve, 8_000))
    const attempts = await load.stop()
    expectNoFailure(attempts, 'while the collector was away')
    found('tokens while the collector was away', inWords(attempts))
    await upgrade('otel.endpoint=')
    await settled()
  },
}
