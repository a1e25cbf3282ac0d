import { setTimeout as sleep } from 'node:timers/promises'
import {
  ask,
  chart,
  helm,
  inPod,
  isReady,
  makeNamespace,
  namespace,
  type Pod,
  pods,
  readyAt,
  settled,
} from '../cluster.ts'
import { expectThat, type Found, type Step, seconds } from '../findings.ts'
import { askForToken, findGateway, register } from '../gateway.ts'
import { expectNoFailure, inWords, startLoad } from '../load.ts'
import { metricsOf, sumOf } from '../metrics.ts'
import { registry } from '../places.ts'

/** The image of Gatehouse in the node's registry, and what the node has in place of those of others. */
export const images = [
  `image.repository=${registry}/gatehouse`,
  'postgresql.image=localhost/tools:1',
  'redis.image=localhost/tools:1',
]

/** All requests of a step come from one client at one address, far more than the limits allow. */
const unlimited = ['OAUTH2_RATE_LIMIT_TOKEN', 'OAUTH2_RATE_LIMIT_INTROSPECT', 'OAUTH2_RATE_LIMIT_OTHER'].map(
  (limit) => `config.${limit}=1000000`,
)

/** The values of the README's first command, and what this cluster needs. */
export const values = ['postgresql.enabled=true', 'redis.enabled=true', ...images, ...unlimited]

export const install: Step = {
  name: 'install',
  title: 'helm install, as the README of the chart says',
  async run(found) {
    const began = Date.now()
    const set = values.flatMap((value) => ['--set', value])
    await makeNamespace(namespace)
    await helm('install', 'gatehouse', ...chart, ...set)
    const load = await askFromTheFirstReadyGatewayOn(found, began)
    await settled()
    found('until every pod was ready', seconds(Date.now() - began))
    await sleep(10_000)
    const attempts = await load.stop()
    expectNoFailure(attempts, 'from the moment the first gateway was ready')
    found('tokens from that moment on, while the others started', inWords(attempts))
    await lookAtStarts(found)
    await lookAtLimits(found)
    await lookAtRights(found)
  },
}

/** Registers a client at the moment when the first gateway is ready, which must succeed at first try, and goes on with tokens. */
async function askFromTheFirstReadyGatewayOn(found: Found, began: number) {
  for (;;) {
    if ((await pods('gateway')).some(isReady)) break
    expectThat(Date.now() - began < 300_000, 'no gateway is ready after 300 s')
    await sleep(100)
  }
  const ready = Date.now()
  found('until the first gateway was ready', seconds(ready - began))
  await findGateway()
  // Ready is known to the API server somewhat sooner than to the rules of Services.
  await sleep(1_000)
  const client = await register()
  const first = await askForToken(client)
  expectThat(first.status === 200, `the first token: ${first.status} ${first.error}`)
  found('the first token, through the Service, at first try', seconds(Date.now() - ready))
  return startLoad(client, 10)
}

/** No container was restarted, and the migration ended well at first try. */
async function lookAtStarts(found: Found): Promise<void> {
  const all = await pods()
  for (const { metadata, status } of all)
    for (const { name, restartCount } of status.containerStatuses ?? [])
      expectThat(restartCount === 0, `${metadata.name}: ${name} was started ${restartCount + 1} times`)
  const job = await pods('migrate')
  const ends = job.map(({ status }) => status.phase)
  expectThat(ends.join() === 'Succeeded', `the pods of the migration ended: ${ends}`)
  found('pods of the migration Job', 'one, which succeeded')
  const { items } = await ask<{ items: { type: string; reason: string; message: string }[] }>(
    `/api/v1/namespaces/${namespace}/events`,
  )
  const unhealthy = items.filter(
    ({ reason, message }) => reason === 'Unhealthy' && message.startsWith('Liveness'),
  )
  expectThat(unhealthy.length === 0, `liveness probes failed: ${unhealthy.map(({ message }) => message)}`)
  const cpu = all.filter(({ status }) => status.phase === 'Running').map(requestedCpu)
  found('CPU that all pods request together', `${cpu.reduce((sum, one) => sum + one, 0)}m`)
  const starts = all.flatMap((pod) => {
    const ready = readyAt(pod)
    const { component = '' } = named(pod)
    return ready && pod.status.startTime
      ? [`${component} ${seconds(ready - Date.parse(pod.status.startTime))}`]
      : []
  })
  found('from the start of a pod until it was ready, waits for others included', starts.sort().join(', '))
}

/** All gateways count together. */
async function lookAtLimits(found: Found): Promise<void> {
  const texts = await Promise.all((await pods('gateway')).map(metricsOf))
  const alone = texts.map((text) => sumOf(text, 'oauth2_server_rate_limit_counted_alone_total'))
  expectThat(alone.join() === '0,0', `requests that a gateway counted without Redis: ${alone}`)
  found('requests that a gateway counted without Redis', 'none')
}

const named = ({ metadata }: Pod) => ({ component: metadata.labels['app.kubernetes.io/component'] })

function requestedCpu({ spec }: Pod): number {
  const requests = spec.containers.map(({ resources }) => resources.requests?.cpu ?? '0m')
  return requests.reduce(
    (sum, cpu) => sum + (cpu.endsWith('m') ? Number.parseInt(cpu, 10) : Number(cpu) * 1_000),
    0,
  )
}

/** Looks at the rights of the processes, as the kernel tells them. */
async function lookAtRights(found: Found): Promise<void> {
  const script = `
    const fs = require('fs')
    let written = 'yes'
    try { fs.writeFileSync('/gatehouse/x', '') } catch (error) { written = error.code }
    const status = Object.fromEntries(fs.readFileSync('/proc/1/status', 'utf8').split('\\n').map((line) => line.split(':\\t')))
    console.log(JSON.stringify({ written, uid: status.Uid.split('\\t')[0], rights: status.CapBnd, more: status.NoNewPrivs, seccomp: status.Seccomp,
      tokens: fs.existsSync('/var/run/secrets/kubernetes.io') }))`
  for (const component of ['gateway', 'token', 'client-registry', 'identity', 'events']) {
    const [pod] = await pods(component)
    const seen = (await inPod(pod?.metadata.name ?? '', script)).trim()
    const wanted = {
      written: 'EROFS',
      uid: '65532',
      rights: '0000000000000000',
      more: '1',
      seccomp: '2',
      tokens: false,
    }
    expectThat(seen === JSON.stringify(wanted), `${component} may do more than it should: ${seen}`)
  }
  found(
    'every process',
    'user 65532, root file system read-only, no capability, seccomp, no token of the API',
  )
}
