import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '@gatehouse/kit/config/load-config'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { serviceNames } from '@gatehouse/local/services'
import { repository } from '@gatehouse/test/servers/prometheus'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { helm, production, render, template } from './chart.ts'

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }
const withAll = {
  ...bundled,
  secrets: {
    OAUTH2_EVENTS_INGEST_TOKEN: 'i'.repeat(32),
    OAUTH2_REGISTRATION_TOKEN: 'r'.repeat(32),
    OAUTH2_GOOGLE_CLIENT_SECRET: 'google',
    OAUTH2_EVENTS_WEBHOOK_URL: 'https://hooks.example.com',
    OAUTH2_EVENTS_WEBHOOK_SECRET: 'w'.repeat(32),
  },
  config: {
    OAUTH2_ACCESS_TOKEN_TTL: 604_800,
    OAUTH2_REFRESH_TOKEN_TTL: 2_592_000,
    OAUTH2_EVENTS_ENABLED: true,
    OAUTH2_GOOGLE_CLIENT_ID: 'google',
    OAUTH2_SCOPES_SUPPORTED: 'read write urn:x#y {{z}}',
  },
  otel: { endpoint: 'http://collector:4318' },
}

test.skipIf(!helm)('the bundled Redis serves callers on other machines, whoever built it', async () => {
  const { spec } = (await render(bundled)).find('Deployment', 'auth-gatehouse-redis')
  const { args } = spec.template.spec.containers[0]
  expect(args.slice(args.indexOf('--protected-mode'))).toEqual(['--protected-mode', 'no'])
})

describe.skipIf(!helm)('every service', () => {
  test.each(serviceNames)(
    '%s is told what it needs to start, knows all of it, and gets no other secret',
    async (name) => {
      const schema = serviceSchemas[name]
      const known = Object.keys(schema.properties)
      for (const values of [bundled, withAll, production, { ...bundled, tls: { mode: 'disabled' } }]) {
        const release = await render(values)
        const environment = release.environment(name)
        const unknown = Object.keys(environment).filter((variable) => !known.includes(variable))
        expect(unknown.filter((variable) => !/^(OTEL_.*|POD_NAME)$/.test(variable))).toEqual([])
        const seen = release.environmentSeen(
          name,
          (variable) => examples[variable] ?? (variable.endsWith('_NEXT') ? 'y' : 'x').repeat(32),
        )
        expect(loadConfig(schema, seen)).toMatchObject({
          NODE_ENV: 'production',
          OAUTH2_INTERNAL_HOST: '0.0.0.0',
        })
      }
    },
  )

  test('listens at every address of its pod, where that has none of IPv4 too', async () => {
    const release = await render({ ...bundled, listenAddress: '::' })
    for (const name of serviceNames) {
      const hosts = Object.entries(release.environment(name)).filter(([variable]) =>
        /^OAUTH2_\w+_HOST$/.test(variable),
      )
      expect(hosts, name).toHaveLength(2)
      for (const [variable, value] of hosts) expect(value, variable).toBe('::')
    }
    expect((await template({ ...bundled, listenAddress: '192.0.2.1' })).ok).toBe(false)
  })

  test('gets the addresses of the others', async () => {
    const release = await render(production)
    for (const name of serviceNames) {
      for (const [variable, value] of Object.entries(release.environment(name))) {
        if (!variable.endsWith('_ADDR')) continue
        const [, service = '', port] = /^dns:\/\/\/(.+):(\d+)$/.exec(value) ?? []
        const { spec, metadata } = release.find('Service', service)
        expect(spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: false })
        expect(spec.ports).toContainEqual({ name: 'grpc', port: Number(port), targetPort: 'grpc' })
        expect(metadata.labels['app.kubernetes.io/component']).toBe(
          variable
            .replace(/^OAUTH2_(.+)_ADDR$/, '$1')
            .toLowerCase()
            .replaceAll('_', '-'),
        )
      }
    }
  })

  test('can be reached only by its callers and the scraper', async () => {
    const release = await render({ ...production, networkPolicy: { metricsFrom: [{ podSelector: {} }] } })
    for (const name of serviceNames) {
      const { spec } = release.find('NetworkPolicy', `auth-gatehouse-${name}`)
      const address = `OAUTH2_${name.toUpperCase().replaceAll('-', '_')}_ADDR`
      const callers = serviceNames.filter((caller) => address in serviceSchemas[caller].properties)
      const metrics = { ports: [{ port: 'internal' }], from: [{ podSelector: {} }] }
      const calls = {
        ports: [{ port: 'grpc' }],
        from: callers.map((caller) => ({
          podSelector: { matchLabels: release.find('Service', `auth-gatehouse-${caller}`).spec.selector },
        })),
      }
      const own = name === 'gateway' ? { ports: [{ port: 'http' }] } : calls
      expect(spec.policyTypes).toEqual(['Ingress'])
      expect(spec.podSelector.matchLabels).toEqual(
        release.find('Service', `auth-gatehouse-${name}`).spec.selector,
      )
      expect([sorted(spec.ingress[0]), sorted(spec.ingress[1])]).toEqual([sorted(own), sorted(metrics)])
      expect(spec.ingress).toHaveLength(2)
    }
  })

  test('is selected only by its own Service, Deployment and budget', async () => {
    const release = await render(production)
    const selectors = serviceNames.map((name) => {
      const { spec } = release.find('Deployment', `auth-gatehouse-${name}`)
      const { selector } = release.find('Service', `auth-gatehouse-${name}`).spec
      const budget = release.find('PodDisruptionBudget', `auth-gatehouse-${name}`).spec
      expect(spec.selector.matchLabels).toEqual(selector)
      expect(spec.template.metadata.labels).toMatchObject(selector)
      expect(budget).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: selector } })
      return JSON.stringify(selector)
    })
    expect(new Set(selectors).size).toBe(serviceNames.length)
  })
})

describe.skipIf(!helm)('the gateway', () => {
  const ingress = { enabled: true, host: 'auth.example.com' }
  test.each<[what: string, values: object, url: string, proxies: string]>([
    ['nothing in front', bundled, 'http://localhost:8080', 'false'],
    ['an Ingress', { ...bundled, ingress }, 'https://auth.example.com', '1'],
    [
      'an Ingress without TLS',
      { ...bundled, ingress: { ...ingress, tls: { enabled: false } } },
      'http://auth.example.com',
      '1',
    ],
    ['an HTTPRoute', production, 'https://auth.example.com', '1'],
    ['two proxies', { ...bundled, ingress, trustedProxies: 2 }, 'https://auth.example.com', '2'],
    [
      'proxies of an address',
      { ...bundled, trustedProxies: '10.0.0.0/8' },
      'http://localhost:8080',
      '10.0.0.0/8',
    ],
    [
      'another address',
      { ...production, publicBaseUrl: 'https://id.example.com', trustedProxies: false },
      'https://id.example.com',
      'false',
    ],
  ])('with %s knows its address and whose headers to believe', async (_, values, url, proxies) => {
    const release = await render(values)
    expect(release.environment('gateway')).toMatchObject({
      OAUTH2_SERVER_PUBLIC_BASE_URL: url,
      OAUTH2_SERVER_TRUST_PROXY_HEADERS: proxies,
    })
    for (const name of ['token', 'identity', 'events'])
      expect(release.environment(name).OAUTH2_SERVER_PUBLIC_BASE_URL).toBe(url)
  })

  test('is the only one with a port for others, which is not the internal one', async () => {
    const gateway = { service: { type: 'LoadBalancer' } }
    const metrics = { serviceMonitor: { enabled: true } }
    const publicBaseUrl = 'https://auth.example.com'
    const services = (await render({ ...bundled, publicBaseUrl, gateway, metrics })).kinds('Service')
    const open = services.filter(
      ({ spec }) =>
        spec.clusterIP !== 'None' && !spec.selector['app.kubernetes.io/component'].includes('redis'),
    )
    expect(open.map(({ spec }) => [spec.type, spec.ports])).toEqual([
      ['LoadBalancer', [{ name: 'http', port: 80, targetPort: 'http', appProtocol: 'http' }]],
    ])
  })

  test('speaks https with the certificate of a Secret, and everything in front knows the port by that name', async () => {
    const gateway = { tls: { secretName: 'auth-example-com' }, service: { port: 443 } }
    const release = await render({ ...bundled, ingress, gateway })
    expect(release.environment('gateway')).toMatchObject({
      OAUTH2_SERVER_TLS_CERT: '/etc/gatehouse/https/tls.crt',
      OAUTH2_SERVER_TLS_KEY: '/etc/gatehouse/https/tls.key',
    })
    const { spec } = release.find('Deployment', 'auth-gatehouse-gateway').spec.template
    expect(spec.volumes).toContainEqual({
      name: 'https',
      secret: { secretName: 'auth-example-com', defaultMode: 0o440 },
    })
    const [{ ports, volumeMounts }] = spec.containers
    expect(volumeMounts).toContainEqual({ name: 'https', mountPath: '/etc/gatehouse/https', readOnly: true })
    expect(ports).toContainEqual({ name: 'https', containerPort: 8080 })
    expect(release.find('Service', 'auth-gatehouse-gateway').spec.ports).toEqual([
      { name: 'https', port: 443, targetPort: 'https', appProtocol: 'https' },
    ])
    const [{ http }] = release.find('Ingress', 'auth-gatehouse-gateway').spec.rules
    expect(http.paths[0].backend.service.port).toEqual({ name: 'https' })
    expect(release.find('NetworkPolicy', 'auth-gatehouse-gateway').spec.ingress).toContainEqual({
      ports: [{ port: 'https' }],
    })
    for (const name of ['token', 'identity']) {
      expect(release.environment(name)).not.toHaveProperty('OAUTH2_SERVER_TLS_CERT')
      expect(release.text).not.toContain('name: https, mountPath: /etc/gatehouse/tls')
    }
  })
})

describe.skipIf(!helm)('monitoring', () => {
  const on = { enabled: true }
  const metrics = { serviceMonitor: on, prometheusRule: on, dashboards: on }

  test('scrapes the internal port of every pod once, with the job and service labels that the rules need', async () => {
    const release = await render({ ...production, metrics })
    const [monitor] = release.kinds('ServiceMonitor')
    const [endpoint] = monitor?.spec.endpoints ?? []
    expect(monitor?.spec.endpoints).toHaveLength(1)
    expect(endpoint.relabelings).toContainEqual({ targetLabel: 'job', replacement: 'gatehouse' })
    expect(endpoint.relabelings).toContainEqual({ targetLabel: 'installation', replacement: 'iam/auth' })
    const [label] = endpoint.relabelings.at(-1).sourceLabels
    expect(endpoint.relabelings.at(-1).targetLabel).toBe('service')
    expect(label).toBe('__meta_kubernetes_service_label_app_kubernetes_io_component')
    const asked = release
      .kinds('Service')
      .filter(({ spec }) => spec.ports.some(({ name }: { name: string }) => name === endpoint.port))
    expect(asked.map(({ metadata }) => metadata.labels['app.kubernetes.io/component']).sort()).toEqual(
      [...serviceNames].sort(),
    )
    for (const { metadata, spec } of asked) {
      expect(metadata.labels).toMatchObject(monitor?.spec.selector.matchLabels)
      expect(metadata.labels).toMatchObject(spec.selector)
    }
  })

  test('has the rules and the dashboards of the repository', async () => {
    const release = await render({ ...production, metrics })
    const read = (path: string) => readFileSync(join(repository, path), 'utf8')
    const files = readdirSync(join(repository, 'deploy/prometheus/rules')).sort()
    const groups = files.flatMap((file) => parse(read(`deploy/prometheus/rules/${file}`)).groups)
    // Beside other installations each has rules of its own, so that none is evaluated twice and none hides another's end.
    const own = JSON.parse(
      JSON.stringify(groups).replaceAll('installation=~\\".*\\"', 'installation=\\"iam/auth\\"'),
    )
    expect(own).not.toEqual(groups)
    expect(release.kinds('PrometheusRule')[0]?.spec.groups).toEqual(own)
    const scrapedOtherwise = await render({ ...production, metrics: { prometheusRule: on } })
    expect(scrapedOtherwise.kinds('PrometheusRule')[0]?.spec.groups).toEqual(groups)
    const { data, metadata } = release.find('ConfigMap', 'auth-gatehouse-dashboards')
    expect(metadata.labels.grafana_dashboard).toBe('1')
    for (const file of readdirSync(join(repository, 'deploy/grafana/dashboards')))
      expect(data[`gatehouse-${file}`]).toBe(read(`deploy/grafana/dashboards/${file}`))
  })
})

test.skipIf(!helm)('no secret is in a ConfigMap, and none in an annotation', async () => {
  const { ok, stdout } = await template(withAll)
  expect(ok).toBe(true)
  const elsewhere = stdout.split(/^---$/m).filter((text) => !/^kind: Secret$/m.test(text))
  for (const secret of ['i'.repeat(32), 'r'.repeat(32), 'hooks.example.com', 'postgresql://'])
    expect(elsewhere.join()).not.toContain(secret)
})

/** Values in a user's Secret for variables that do not accept any text. */
const examples: Record<string, string> = {
  OAUTH2_DATABASE_URL: 'postgresql://gatehouse@db/gatehouse',
  OAUTH2_DATABASE_DIRECT_URL: 'postgresql://gatehouse@db/gatehouse',
  OAUTH2_REDIS_URL: 'redis://redis:6379',
  OAUTH2_EVENTS_REDIS_URL: 'redis://redis:6379',
  OAUTH2_EVENTS_RABBIT_URL: 'amqp://rabbit',
  OAUTH2_SMTP_URL: 'smtp://mail',
  OAUTH2_EVENTS_NATS_URL: 'nats://nats:4222',
  OAUTH2_EVENTS_WEBHOOK_URL: 'https://hooks.example.com',
  // Absent, because a client secret needs a client id, and `production` has none.
  OAUTH2_GOOGLE_CLIENT_SECRET: '',
  OAUTH2_MICROSOFT_CLIENT_SECRET: '',
  OAUTH2_GITHUB_CLIENT_SECRET: '',
}

/** The callers in the order of their names. */
function sorted(rule: { ports: object[]; from?: object[] }) {
  return { ...rule, ...(rule.from && { from: rule.from.map((peer) => JSON.stringify(peer)).sort() }) }
}
