import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { program } from '@gatehouse/test/programs/programs'
import { repository } from '@gatehouse/test/servers/prometheus'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chartDirectory, helm, lint, notes, production, render, scratchFile } from './chart.ts'
import { kubernetesSchemas, kubernetesVersions, validate } from './chart-schemas.ts'

const kubeconform = await program('kubeconform')
const schemas = helm && kubeconform ? await kubernetesSchemas() : undefined

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }
const everything = {
  enabled: true,
  labels: { release: 'prometheus' },
}

const readme = readFileSync(join(chartDirectory, 'README.md'), 'utf8')

/** Examples of releases. */
const releases: Record<string, object> = {
  'as the README shows it for production': parse(
    /```yaml\n# values\.yaml\n([^`]+)```/.exec(readme)?.[1] ?? '',
  ),
  'for trying out': bundled,
  'in production': production,
  'with all secrets in the values': {
    secrets: {
      OAUTH2_DATABASE_URL: 'postgresql://gatehouse:pa$$word@db.example.com/gatehouse?sslmode=verify-full',
      OAUTH2_JWT_SECRET: 'x'.repeat(32),
      OAUTH2_SESSION_KEY: 'y'.repeat(32),
      OAUTH2_SEED_PASSWORD: 'correct horse: "battery" {{ staple }}',
      OAUTH2_REDIS_URL: 'rediss://:password@redis.example.com:6379',
    },
  },
  'with its own authority of cert-manager': { ...production, tls: { mode: 'cert-manager' } },
  'with certificates of the user': {
    ...production,
    tls: {
      mode: 'existing',
      existingSecrets: { gateway: 'a', token: 'b', clientRegistry: 'c', identity: 'd', events: 'e' },
    },
  },
  'with nothing encrypted, limited or watched over': {
    ...bundled,
    tls: { mode: 'disabled' },
    networkPolicy: { enabled: false },
    defaults: { podDisruptionBudget: { enabled: false } },
    migrations: { enabled: false },
  },
  'with an Ingress and everything that monitors': {
    ...bundled,
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'auth.example.com',
      annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': 'true' },
      tls: { secretName: 'auth-tls' },
    },
    metrics: { serviceMonitor: everything, prometheusRule: everything, dashboards: { enabled: true } },
    otel: { endpoint: 'http://collector:4318', env: { OTEL_TRACES_SAMPLER_ARG: 0.1 } },
  },
  'that scales itself': {
    ...bundled,
    defaults: {
      autoscaling: {
        enabled: true,
        requestsInFlight: 20,
        extraMetrics: [
          {
            type: 'Resource',
            resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
      },
    },
    token: { autoscaling: { maxReplicas: 40 } },
  },
  'that reaches only what it calls': {
    ...bundled,
    networkPolicy: { egress: { enabled: true } },
    privatePaths: ['/admin', '/metrics'],
    ingress: {
      enabled: true,
      className: 'public',
      host: 'auth.example.com',
      extraHosts: [{ host: 'login.example.com', secretName: 'login-tls' }],
      internal: { enabled: true, className: 'internal', everything: true },
    },
    httpRoute: {
      enabled: true,
      hostnames: ['auth.example.com'],
      parentRefs: [{ name: 'public' }],
      internal: { enabled: true, parentRefs: [{ name: 'internal' }] },
    },
    extraObjects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: '{{ include "gatehouse.fullname" . }}-own', namespace: '{{ .Release.Namespace }}' },
      },
    ],
  },
  'with every field of a pod': {
    ...production,
    imagePullSecrets: [{ name: 'registry' }],
    defaults: {
      podAnnotations: { 'example.com/team': 'iam' },
      podLabels: { team: 'iam' },
      podSecurityContext: { runAsUser: 70_000 },
      serviceAccountAnnotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/gatehouse' },
      serviceAccount: { name: 'auth-gatehouse-shared' },
      containerSecurityContext: { appArmorProfile: { type: 'RuntimeDefault' } },
      priorityClassName: 'high',
      runtimeClassName: 'gvisor',
      schedulerName: 'own',
      hostAliases: [{ ip: '192.0.2.1', hostnames: ['db.example.com'] }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['192.0.2.53'] },
      extraEnvFrom: [{ secretRef: { name: 'more', optional: true } }],
      extraContainers: [{ name: 'beside', image: 'beside' }],
      initContainers: [{ name: 'before', image: 'before', restartPolicy: 'Always' }],
      lifecycle: { postStart: { httpGet: { path: '/live', port: 9464 } } },
      startupProbe: { failureThreshold: 300 },
      strategy: { type: 'Recreate' },
      podDisruptionBudget: { minAvailable: '50%', unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
      nodeSelector: { 'kubernetes.io/arch': 'amd64' },
      tolerations: [{ key: 'dedicated', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
      topologySpreadConstraints: [
        { topologyKey: 'kubernetes.io/hostname', maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule' },
      ],
      extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authority/ca.crt' }],
      extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
      extraVolumeMounts: [{ name: 'authority', mountPath: '/etc/authority' }],
    },
    migrations: { ttlSecondsAfterFinished: 600, annotations: { 'argocd.argoproj.io/sync-wave': '1' } },
    fullnameOverride: 'a-name-that-is-longer-than-names-should-be',
    commonLabels: { team: 'iam', 'app.kubernetes.io/part-of': 'platform' },
    commonAnnotations: { 'example.com/owner': 'iam' },
    image: { registry: 'registry.example.com', digest: `sha256:${'0'.repeat(64)}` },
    global: { imagePullSecrets: ['mirror'] },
    listenAddress: '::',
    ipFamilyPolicy: 'RequireDualStack',
    ipFamilies: ['IPv6', 'IPv4'],
    gateway: {
      service: {
        type: 'LoadBalancer',
        port: 8080,
        externalTrafficPolicy: 'Local',
        loadBalancerClass: 'example.com/balancer',
        loadBalancerSourceRanges: ['192.0.2.0/24'],
        allocateLoadBalancerNodePorts: false,
        labels: { team: 'network' },
      },
    },
  },
}

describe.skipIf(!helm)('a release', () => {
  test.each(Object.entries(releases))('%s passes helm lint', async (_, values) => {
    expect(await lint(values)).toMatchObject({ ok: true })
  })

  test.skipIf(!schemas).each(kubernetesVersions)(
    'of any kind is in order for Kubernetes %s',
    async (version) => {
      const rendered = await Promise.all(Object.values(releases).map((values) => render(values)))
      const { stdout } = await validate(
        rendered.map(({ text }) => scratchFile(text)),
        schemas as string,
        version,
      )
      const { resources, summary } = JSON.parse(stdout)
      const valid = rendered.reduce((sum, { manifests }) => sum + manifests.length, 0)
      expect(resources).toEqual([])
      expect(summary).toEqual({ valid, invalid: 0, errors: 0, skipped: 0 })
    },
  )

  test.skipIf(!schemas)('is refused by kubeconform if a field does not exist', async () => {
    const { text } = await render(production)
    for (const [right, wrong] of [
      ['runAsNonRoot:', 'runAsNotRoot:'],
      ['backendRefs:', 'backends:'],
      ['rotationPolicy: Always', 'rotationPolicy: Sometimes'],
    ] as const) {
      expect(text).toContain(right)
      const { ok } = await validate([scratchFile(text.replaceAll(right, wrong))], schemas as string, '1.34.0')
      expect(ok, wrong).toBe(false)
    }
  })

  test.each(Object.entries(releases))(
    '%s has no empty line and no two objects of one name',
    async (_, values) => {
      const { text, manifests } = await render(values)
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`)
      expect(new Set(names).size).toBe(names.length)
      for (const { kind, metadata } of manifests) {
        expect(metadata.namespace, `${kind} ${metadata.name}`).toBe('iam')
        expect(metadata.name).toMatch(/^(auth-gatehouse|a-name-that-is-longer-than-names-sho)(-[a-z0-9-]+)?$/)
        expect(metadata.name.length).toBeLessThanOrEqual(63)
      }
      expect(text.split('\n').filter((line) => /^\s+$/.test(line))).toEqual([])
    },
  )
})

describe.skipIf(!helm)('what Helm says after an installation', () => {
  test('explains how to get a first token, and warns of settings that are only for trials', async () => {
    const text = await notes(bundled)
    for (const line of [
      'kubectl -n iam port-forward service/auth-gatehouse-gateway 8080:80',
      'get secret auth-gatehouse-secrets',
      'curl -s http://localhost:8080/clients/register',
      'curl -s http://localhost:8080/oauth/token',
      'The bundled PostgreSQL is for trying out',
      'The bundled Redis is for trying out',
      'good for 365 days',
      'The public address is http',
      'Everybody who reaches it may register a client',
    ])
      expect(text).toContain(line)
  })

  test('names the public address, and does not warn about a good production setup', async () => {
    const text = await notes({ ...production, config: { OAUTH2_REGISTRATION: 'token' } })
    expect(text).toContain('It is at https://auth.example.com, as soon as that name leads to the Gateway')
    expect(text).toContain('get secret gatehouse-secrets')
    expect(text).not.toContain('Before anybody relies on it')
  })
})

test('the chart has the version of the repository, and so has the image that it runs', async () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const chart = parse(readFileSync(join(chartDirectory, 'Chart.yaml'), 'utf8'))
  expect([chart.version, chart.appVersion]).toEqual([version, version])
})
