import { run } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { chartDirectory, helm, production, scratchFile } from '../../test/deploy/chart.ts'
import { definitions, readDefinition } from '../../test/deploy/chart-schemas.ts'
import { type ApiServer, startApiServer } from './api-server.ts'

// Helm against a real API server: it checks every object as a cluster's does, and `lookup` finds what is there.

const server: ApiServer = await startApiServer()
afterAll(() => server.stop())

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }
const kinds = {
  Secret: '/api/v1',
  ConfigMap: '/api/v1',
  Service: '/api/v1',
  Deployment: '/apis/apps/v1',
  StatefulSet: '/apis/apps/v1',
  Job: '/apis/batch/v1',
  HorizontalPodAutoscaler: '/apis/autoscaling/v2',
  PodDisruptionBudget: '/apis/policy/v1',
  NetworkPolicy: '/apis/networking.k8s.io/v1',
  Ingress: '/apis/networking.k8s.io/v1',
  HTTPRoute: '/apis/gateway.networking.k8s.io/v1',
  Certificate: '/apis/cert-manager.io/v1',
  Issuer: '/apis/cert-manager.io/v1',
  ServiceMonitor: '/apis/monitoring.coreos.com/v1',
  PrometheusRule: '/apis/monitoring.coreos.com/v1',
}
const plural = (kind: string) =>
  `${kind.toLowerCase()}s`.replace(/(ys|sss?)$/, (end) => (end === 'ys' ? 'ies' : `${end.slice(0, -1)}es`))

type Item = { metadata: { name: string; annotations?: object }; spec?: object; data?: Record<string, string> }

beforeAll(async () => {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  const patience = { timeout: 30_000, interval: 200 }
  for (const definition of definitions) await server.ask(path, await readDefinition(definition))
  // It serves a kind some moments after it took its definition.
  for (const [kind, group] of Object.entries(kinds))
    await vi.waitFor(() => server.ask(`${group}/${plural(kind)}`), patience)
})

/** Lets Helm do something with a release in a namespace of its name. */
async function change(release: string, command: 'install' | 'upgrade' | 'uninstall', values?: object) {
  const chart = values ? [chartDirectory, '--values', scratchFile(JSON.stringify(values))] : []
  const { ok, stderr } = await run(
    helm as string,
    [command, release, ...chart, '--namespace', release, '--kubeconfig', server.kubeconfig],
    { env: { ...process.env, HELM_NAMESPACE: release } },
  )
  // Warnings of the API server are on its standard error, too.
  expect({ ok, stderr }).toEqual({ ok: true, stderr: '' })
  return objectsIn(release)
}

/** Installs a release in a new namespace, which warns of every pod with rights that it should not have. */
async function install(release: string, values: object) {
  const labels = { 'pod-security.kubernetes.io/warn': 'restricted' }
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: release, labels } }
  await server.ask('/api/v1/namespaces', JSON.stringify(namespace))
  // A controller, which does not run here, gives it to every namespace. By it the chart finds out that it sees the cluster.
  const everywhere = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt' } }
  await server.ask(`/api/v1/namespaces/${release}/configmaps`, JSON.stringify(everywhere))
  return change(release, 'install', values)
}

/** The objects that the API server keeps for a release, by kind and name, without the fields that it adds by itself. */
async function objectsIn(namespace: string): Promise<Map<string, Item>> {
  const found = new Map<string, Item>()
  for (const [kind, group] of Object.entries(kinds)) {
    const path = `${group}/namespaces/${namespace}/${plural(kind)}`
    const { items } = (await server.ask(path)) as { items: Item[] }
    for (const { metadata, spec, data } of items) {
      const { name } = metadata
      if (!name.startsWith('sh.helm.') && name !== 'kube-root-ca.crt')
        found.set(`${kind} ${name.replace(/-[0-9a-f]{10}$/, '')}`, {
          metadata: { name },
          ...(spec && { spec }),
          ...(data && { data }),
        })
    }
  }
  return found
}

/** The names of what was made, changed or removed. */
function changed(before: Map<string, Item>, after: Map<string, Item>): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names]
    .filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)))
    .sort()
}

test.each<[release: string, values: object]>([
  ['tried-out', bundled],
  ['in-production', production],
  [
    'watched',
    {
      ...production,
      httpRoute: { enabled: false },
      ingress: { enabled: true, host: 'auth.example.com' },
      tls: { mode: 'cert-manager' },
      defaults: { autoscaling: { enabled: true, requestsInFlight: 20 } },
      metrics: {
        serviceMonitor: { enabled: true },
        prometheusRule: { enabled: true },
        dashboards: { enabled: true },
      },
    },
  ],
])(
  'the API server takes every object of a release that is %s, without a warning',
  async (release, values) => {
    const objects = await install(release, values)
    for (const name of ['gateway', 'token', 'client-registry', 'identity', 'events'])
      expect([...objects.keys()]).toContain(`Deployment ${release}-gatehouse-${name}`)
  },
)

test('what was made up outlives upgrades, and an uninstalled release', async () => {
  const first = await install('kept', bundled)
  expect(changed(first, await change('kept', 'upgrade', bundled))).toEqual([])
  const left = await change('kept', 'uninstall')
  expect([...left.keys()]).toEqual(['Secret kept-gatehouse-secrets'])
  const again = await change('kept', 'install', bundled)
  const secret = 'Secret kept-gatehouse-secrets'
  expect(again.get(secret)).toEqual(first.get(secret))
  expect(first.get(secret)?.data).toHaveProperty('OAUTH2_SEED_PASSWORD')
})

test('an upgrade changes what it should and nothing else', async () => {
  const first = await install('changed', bundled)
  const upgrade = (values: object) => change('changed', 'upgrade', { ...bundled, ...values })
  const scaled = await upgrade({ token: { replicas: 5 } })
  expect(changed(first, scaled)).toEqual(['Deployment changed-gatehouse-token'])
  const config = { OAUTH2_ACCESS_TOKEN_TTL: 600 }
  const configured = await upgrade({ token: { replicas: 5 }, config })
  expect(changed(scaled, configured)).toEqual([
    'ConfigMap changed-gatehouse-token',
    'Deployment changed-gatehouse-token',
  ])
  const newer = await upgrade({ token: { replicas: 5 }, config, image: { tag: '9.9.9' } })
  expect(changed(configured, newer)).toEqual([
    ...['client-registry', 'events', 'gateway', 'identity', 'token'].map(
      (name) => `Deployment changed-gatehouse-${name}`,
    ),
    'Job changed-gatehouse-migrate',
  ])
})

test('certificates are made anew when they are old or their names change, by the same authority', async () => {
  const first = await install('certified', bundled)
  const upgrade = (tls: object, values = {}) => change('certified', 'upgrade', { ...bundled, tls, ...values })
  const all = ['client-registry', 'events', 'gateway', 'identity', 'token'].map(
    (name) => `Secret certified-gatehouse-${name}-tls`,
  )
  const renewed = await upgrade({ generated: { renewAfterDays: 0 } })
  expect(changed(first, renewed)).toEqual(all)
  expect(changed(renewed, await upgrade({}))).toEqual([])
  const renamed = await upgrade({}, { clusterDomain: 'k8s.example' })
  expect(changed(renewed, renamed)).toEqual(all)
  for (const name of all) {
    expect(renamed.get(name)?.data?.['ca.crt']).toBe(first.get(name)?.data?.['ca.crt'])
    expect(renamed.get(name)?.data?.['tls.key']).not.toBe(first.get(name)?.data?.['tls.key'])
  }
})

test('a release moves from what is for trying out to what is for production', async () => {
  const first = await install('grown', bundled)
  const objects = await change('grown', 'upgrade', production)
  expect(objects.get('Secret grown-gatehouse-secrets')).toEqual(first.get('Secret grown-gatehouse-secrets'))
  const names = [...objects.keys()].join()
  expect(names).not.toMatch(/-tls|-ca(,|$)/)
  expect(names).not.toMatch(/postgresql|redis/)
  expect(names).toContain('HTTPRoute grown-gatehouse-gateway')
  expect([...(await change('grown', 'upgrade', bundled)).keys()].sort()).toEqual([...first.keys()].sort())
})
