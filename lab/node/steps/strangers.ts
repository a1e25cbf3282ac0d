import { ask, kubectl, pods, services, settled, until, upgrade } from '../cluster.ts'
import { expectThat, type Found, type Step } from '../findings.ts'

/** Ports of the release, and whether a stranger may reach them. */
const doors: [component: string, port: number][] = [
  ['gateway', 8080],
  ...services.map((name): [string, number] => [name, 9464]),
  ...services.filter((name) => name !== 'gateway').map((name): [string, number] => [name, 50051]),
  ['postgresql', 5432],
  ['redis', 6379],
]

/** Starts a pod with a shell, in a namespace. */
export async function makeStranger(name: string, within: string): Promise<void> {
  await ask('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: within } }).catch(
    () => undefined,
  )
  await ask(`/api/v1/namespaces/${within}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'stranger' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name, image: 'localhost/tools:1', args: ['sleep', '3600'] }],
    },
  })
  await kubectl('-n', within, 'wait', `pod/${name}`, '--for=condition=Ready', '--timeout=60s')
}

/** Which doors are open to a pod, as `component:port`. */
async function openTo(name: string, within: string): Promise<string[]> {
  const targets = await Promise.all(
    doors.map(async ([component, port]) => {
      const [pod] = await pods(component)
      return { door: `${component}:${port}`, address: pod?.status.podIP, port }
    }),
  )
  const knock = targets
    .map(
      ({ door, address, port }) =>
        `(timeout 3 bash -c ': < /dev/tcp/${address}/${port}' 2> /dev/null && echo ${door}) &`,
    )
    .join('\n')
  const out = await kubectl('-n', within, 'exec', name, '--', 'bash', '-c', `${knock}\nwait`)
  return out.split('\n').filter(Boolean).sort()
}

const all = doors.map(([component, port]) => `${component}:${port}`)
const metrics = all.filter((door) => door.endsWith(':9464'))

/** Waits until exactly these doors are open to the pod in a namespace: rules follow policies within a second. */
async function expectOpen(within: string, wanted: string[]): Promise<void> {
  let open: string[] = []
  const isSo = async () => {
    open = await openTo('stranger', within)
    return open.join() === [...wanted].sort().join()
  }
  await until('', isSo, 10_000).catch(() =>
    expectThat(false, `a pod in the namespace ${within} reaches ${open}`),
  )
}

async function knockEverywhere(found: Found, tls: string): Promise<void> {
  await expectOpen('gatehouse', ['gateway:8080'])
  await expectOpen('strangers', ['gateway:8080'])
  await expectOpen('monitoring', ['gateway:8080', ...metrics])
  found(
    tls,
    'a pod beside the release and one in another namespace reach the gateway at 8080 and nothing else; one in monitoring reaches the metrics, too',
  )
}

export const strangers: Step = {
  name: 'strangers',
  title: 'NetworkPolicies, with and without TLS between the pods',
  async run(found) {
    for (const within of ['gatehouse', 'strangers', 'monitoring']) await makeStranger('stranger', within)
    await knockEverywhere(found, 'with mutual TLS')

    await upgrade('networkPolicy.enabled=false')
    await expectOpen('strangers', all)
    await expectNoHandshake()
    found(
      'without policies',
      'every port can be reached, and the services refuse a caller without a certificate',
    )

    await upgrade('networkPolicy.enabled=true', 'tls.mode=disabled')
    await settled()
    await knockEverywhere(found, 'without TLS')
    await upgrade('tls.mode=generated')
    await settled()
    for (const within of ['gatehouse', 'strangers', 'monitoring'])
      await kubectl('-n', within, 'delete', 'pod', 'stranger', '--wait=false')
  },
}

/** A service ends the handshake of a caller that has no certificate. */
async function expectNoHandshake(): Promise<void> {
  for (const name of services.filter((one) => one !== 'gateway')) {
    const [pod] = await pods(name)
    const script = `
      const tls = require('tls')
      const socket = tls.connect({ host: '${pod?.status.podIP}', port: 50051, rejectUnauthorized: false, ALPNProtocols: ['h2'] })
      socket.on('secureConnect', () => socket.write('PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n'))
      socket.on('data', () => { console.log('answered'); process.exit() })
      socket.on('error', (error) => { console.log('refused', error.code); process.exit() })
      socket.on('close', () => { console.log('refused'); process.exit() })
      setTimeout(() => { console.log('silent'); process.exit() }, 5000)`
    const out = await kubectl('-n', 'strangers', 'exec', 'stranger', '--', 'node', '-e', script)
    expectThat(out.startsWith('refused'), `${name} with a caller without a certificate: ${out}`)
  }
}
