import { serviceNames } from '@gatehouse/local/services'
import { describe, expect, test } from 'vitest'
import { helm, type Manifest, production, type Release, render } from './chart.ts'

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }
const specOf = (release: Release, service: string) =>
  release.find('Deployment', `auth-gatehouse-${service}`).spec
const podOf = (release: Release, service: string) => specOf(release, service).template.spec
const jobOf = (release: Release) => release.kinds('Job')[0]?.spec.template.spec
const workloads = ['Deployment', 'StatefulSet', 'Job']

describe.skipIf(!helm)('labels and annotations of all', () => {
  const commonLabels = { team: 'iam' }
  const commonAnnotations = { 'example.com/owner': 'people', 'gatehouse/issued-at': 'mine' }

  test('are on every object and pod, select nothing, and give way to those of one object', async () => {
    const release = await render({
      ...bundled,
      commonLabels,
      commonAnnotations,
      metrics: {
        serviceMonitor: { enabled: true, labels: { team: 'monitoring' } },
        prometheusRule: { enabled: true },
        dashboards: { enabled: true },
      },
      ingress: { enabled: true, host: 'auth.example.com' },
      defaults: { podLabels: { tier: 'x' } },
    })
    const before = await render(bundled)
    const selectorsOf = (manifests: Manifest[]) =>
      manifests.filter(({ spec }) => spec?.selector).map(({ spec }) => JSON.stringify(spec.selector))
    expect(new Set(selectorsOf(release.manifests))).toEqual(
      new Set([...selectorsOf(before.manifests), ...selectorsOf(release.kinds('ServiceMonitor'))]),
    )
    for (const { kind, metadata, spec } of release.manifests) {
      const name = `${kind} ${metadata.name}`
      expect(metadata.labels.team, name).toBe(kind === 'ServiceMonitor' ? 'monitoring' : 'iam')
      expect(metadata.annotations?.['example.com/owner'], name).toBe('people')
      if (!workloads.includes(kind)) continue
      expect(spec.template.metadata.labels, name).toMatchObject(commonLabels)
      expect(JSON.stringify(spec.volumeClaimTemplates ?? ''), name).not.toContain('team')
    }
    expect(release.find('Secret', 'auth-gatehouse-token-tls').metadata.annotations).toMatchObject({
      'gatehouse/issued-at': expect.stringMatching(/^\d+$/),
    })
    for (const { metadata } of before.manifests) expect(metadata.labels).not.toHaveProperty('team')
  })
})

describe.skipIf(!helm)('images', () => {
  const digest = `sha256:${'a'.repeat(64)}`
  test.each<[what: string, values: object, own: RegExp, redis: string]>([
    ['as they are', {}, /^gatehouse:\d/, 'redis:8-alpine'],
    [
      'of a registry',
      { image: { registry: 'r.example', repository: 'a/b', tag: 't' } },
      /^r.example\/a\/b:t$/,
      'redis:8-alpine',
    ],
    ['by digest', { image: { tag: 't', digest } }, new RegExp(`^gatehouse@${digest}$`), 'redis:8-alpine'],
    [
      'of one registry for all charts',
      { image: { registry: 'r.example' }, global: { imageRegistry: 'm.example' } },
      /^m.example\/gatehouse:\d/,
      'm.example/redis:8-alpine',
    ],
  ])('%s', async (_, values, own, redis) => {
    const release = await render({ ...bundled, ...values })
    for (const { manifest, pod } of release.pods()) {
      const isOwn = !/-(redis|postgresql)$/.test(manifest.metadata.name)
      for (const { image } of [...(pod.initContainers ?? []), ...pod.containers])
        if (isOwn) expect(image).toMatch(own)
    }
    expect(podOf(release, 'redis').containers[0].image).toBe(redis)
  })

  test('are pulled with the Secrets of this chart and of all charts', async () => {
    const global = { imagePullSecrets: ['all', { name: 'other' }] }
    const release = await render({ ...bundled, global, imagePullSecrets: [{ name: 'own' }] })
    for (const { pod } of release.pods())
      expect(pod).toMatchObject({ imagePullSecrets: [{ name: 'all' }, { name: 'other' }, { name: 'own' }] })
    for (const { pod } of (await render(bundled)).pods()) expect(pod).not.toHaveProperty('imagePullSecrets')
  })
})

describe.skipIf(!helm)('a pod', () => {
  const fields = {
    priorityClassName: 'high',
    runtimeClassName: 'gvisor',
    schedulerName: 'own',
    hostAliases: [{ ip: '192.0.2.1', hostnames: ['db.example.com'] }],
    dnsPolicy: 'None',
    dnsConfig: { nameservers: ['192.0.2.53'] },
  }
  const added = {
    extraEnvFrom: [{ secretRef: { name: 'more' } }],
    extraContainers: [{ name: 'beside', image: 'beside' }],
    initContainers: [{ name: 'before', image: 'before', restartPolicy: 'Always' }],
    extraVolumes: [{ name: 'authority', secret: { secretName: 'authority' } }],
    extraVolumeMounts: [{ name: 'authority', mountPath: '/etc/authority' }],
    containerSecurityContext: { appArmorProfile: { type: 'RuntimeDefault' } },
  }

  test('takes what the values give to all, the Job too, but no container that would keep the Job from ending', async () => {
    const release = await render({ ...production, defaults: { ...fields, ...added } })
    const [before] = added.initContainers
    for (const name of serviceNames) {
      const pod = podOf(release, name)
      expect(pod).toMatchObject(fields)
      expect(pod.initContainers[0]).toEqual(before)
      expect(pod.containers.map(({ name }: { name: string }) => name)).toEqual([name, 'beside'])
      // The chart's own come last, so they win.
      expect(pod.containers[0].envFrom).toEqual([
        ...added.extraEnvFrom,
        { configMapRef: { name: `auth-gatehouse-${name}` } },
      ])
    }
    const job = jobOf(release)
    expect(job).toMatchObject(fields)
    expect(job.initContainers).toEqual(added.initContainers)
    const waits = podOf(release, 'token').initContainers[1]
    for (const container of [job.containers[0], waits])
      expect(container).toMatchObject({
        envFrom: added.extraEnvFrom,
        volumeMounts: added.extraVolumeMounts,
        securityContext: { ...added.containerSecurityContext, readOnlyRootFilesystem: true },
      })
    expect(job.containers).toHaveLength(1)
  })

  test('takes what the values give to one service alone', async () => {
    const release = await render({ ...production, identity: { ...fields, ...added } })
    expect(podOf(release, 'identity')).toMatchObject(fields)
    for (const pod of [podOf(release, 'token'), podOf(release, 'gateway'), jobOf(release)]) {
      for (const field of Object.keys(fields)) expect(pod).not.toHaveProperty(field)
      expect(pod.containers).toHaveLength(1)
    }
    expect(podOf(release, 'gateway')).not.toHaveProperty('initContainers')
  })

  test('is probed, ended and replaced as its service says', async () => {
    const release = await render({
      ...production,
      defaults: { startupProbe: { failureThreshold: 300 }, revisionHistoryLimit: 2 },
      token: {
        readinessProbe: { initialDelaySeconds: 4 },
        lifecycle: { postStart: { httpGet: { path: '/live', port: 9464 } } },
        strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      },
      identity: {
        lifecycle: { preStop: { httpGet: { path: '/bye', port: 1 } } },
        strategy: { type: 'Recreate' },
      },
    })
    const [token, identity, events] = ['token', 'identity', 'events'].map((name) => release.container(name))
    const startupProbe = { periodSeconds: 1, timeoutSeconds: 2, failureThreshold: 300 }
    for (const container of [token, identity, events]) expect(container).toMatchObject({ startupProbe })
    const readinessProbe = { periodSeconds: 3, timeoutSeconds: 3, failureThreshold: 2 }
    expect(token).toMatchObject({ readinessProbe: { ...readinessProbe, initialDelaySeconds: 4 } })
    expect(events).toMatchObject({ readinessProbe })
    expect(token?.lifecycle).toEqual({
      postStart: { httpGet: { path: '/live', port: 9464 } },
      preStop: { sleep: { seconds: 35 } },
    })
    expect(identity?.lifecycle).toEqual({ preStop: { httpGet: { path: '/bye', port: 1 } } })
    expect(specOf(release, 'token')).toMatchObject({
      revisionHistoryLimit: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    })
    expect(specOf(release, 'identity').strategy).toEqual({ type: 'Recreate' })
  })

  test('leaves its users and groups to OpenShift where the values say so', async () => {
    for (const { pod } of (await render({ ...production, openshift: true })).pods())
      expect(pod.securityContext).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
  })
})

describe.skipIf(!helm)('service accounts', () => {
  const accountsOf = (release: Release) =>
    release.kinds('ServiceAccount').map(({ metadata }) => metadata.name)

  test('are one for each service by default, with the annotations of either name', async () => {
    const defaults = { serviceAccount: { annotations: { a: 'b' } }, serviceAccountAnnotations: { c: 'd' } }
    const release = await render({ ...production, defaults })
    expect(accountsOf(release).sort()).toEqual(serviceNames.map((name) => `auth-gatehouse-${name}`).sort())
    for (const { metadata } of release.kinds('ServiceAccount'))
      expect(metadata.annotations).toEqual({ a: 'b', c: 'd' })
    expect(podOf(release, 'token').serviceAccountName).toBe('auth-gatehouse-token')
    expect(jobOf(release)).not.toHaveProperty('serviceAccountName')
  })

  test('are one for the installation, or those that exist', async () => {
    const shared = await render({ ...production, defaults: { serviceAccount: { name: 'one' } } })
    expect(accountsOf(shared)).toEqual(['one'])
    const serviceAccount = { create: false, name: 'theirs', automount: true }
    const theirs = await render({ ...production, defaults: { serviceAccount } })
    expect(accountsOf(theirs)).toEqual([])
    const none = await render({ ...production, defaults: { serviceAccount: { create: false } } })
    for (const [release, name, automount] of [
      [shared, 'one', false],
      [theirs, 'theirs', true],
      [none, 'default', false],
    ] as const)
      for (const service of serviceNames)
        expect(podOf(release, service)).toMatchObject({
          serviceAccountName: name,
          automountServiceAccountToken: automount,
        })
    expect([shared, theirs].map((release) => jobOf(release).serviceAccountName)).toEqual(['one', 'theirs'])
  })

  test('are made for the Job where it has one by name', async () => {
    const release = await render({ ...production, migrations: { serviceAccount: { name: 'migrates' } } })
    expect(accountsOf(release)).toContain('migrates')
    expect(jobOf(release).serviceAccountName).toBe('migrates')
    const migrations = { enabled: false, serviceAccount: { name: 'migrates' } }
    expect(accountsOf(await render({ ...production, migrations }))).not.toContain('migrates')
  })
})

test.skipIf(!helm)('budgets and autoscalers take what the values say', async () => {
  const behavior = { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 600 }] } }
  const metric = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 80 } },
  }
  const release = await render({
    ...production,
    defaults: { autoscaling: { enabled: true }, podDisruptionBudget: { maxUnavailable: '25%' } },
    token: {
      podDisruptionBudget: { minAvailable: 1, unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
      autoscaling: { behavior, extraMetrics: [metric] },
    },
  })
  const find = (kind: string, name: string) => release.find(kind, `auth-gatehouse-${name}`).spec
  expect(find('PodDisruptionBudget', 'token')).toMatchObject({
    minAvailable: 1,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
  })
  expect(find('PodDisruptionBudget', 'token')).not.toHaveProperty('maxUnavailable')
  expect(find('PodDisruptionBudget', 'events')).toMatchObject({ maxUnavailable: '25%' })
  expect(find('HorizontalPodAutoscaler', 'token')).toMatchObject({ behavior, metrics: [{}, metric] })
  expect(find('HorizontalPodAutoscaler', 'events').metrics).toHaveLength(1)
  expect(find('HorizontalPodAutoscaler', 'events').behavior.scaleUp).toMatchObject({ selectPolicy: 'Max' })
})

test.skipIf(!helm)('objects of the user are templates, as objects or as texts', async () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '{{ include "gatehouse.fullname" . }}-a', namespace: '{{ .Release.Namespace }}' },
    data: { url: '{{ include "gatehouse.publicBaseUrl" . }}' },
  }
  const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-b\n'
  const release = await render({ ...production, extraObjects: [object, text] })
  expect(release.find('ConfigMap', 'auth-gatehouse-a')).toMatchObject({
    metadata: { namespace: 'iam' },
    data: { url: 'https://auth.example.com' },
  })
  expect(release.find('ConfigMap', 'auth-b').kind).toBe('ConfigMap')
})
