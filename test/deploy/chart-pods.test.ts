import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceNames } from '@gatehouse/local/services'
import { repository } from '@gatehouse/test/servers/prometheus'
import { describe, expect, test } from 'vitest'
import { helm, type Manifest, production, type Release, render, renderAgain } from './chart.ts'

const bundled = { postgresql: { enabled: true }, redis: { enabled: true } }
/** Values without generated secrets, so that only changed values make a difference. */
const fixed = {
  secrets: {
    OAUTH2_DATABASE_URL: 'postgresql://gatehouse@db/gatehouse',
    OAUTH2_JWT_SECRET: 'x'.repeat(32),
    OAUTH2_SESSION_KEY: 'y'.repeat(32),
    OAUTH2_FACTOR_KEY: 'z'.repeat(32),
    OAUTH2_SEED_PASSWORD: 'correct horse',
  },
  tls: production.tls,
}
const withDatabase = ['token', 'client-registry', 'identity', 'events']
const template = (release: Release, service: string) =>
  release.find('Deployment', `auth-gatehouse-${service}`).spec.template
/** The services whose pods an upgrade from one release to the other replaces. */
const replaced = (before: Release, after: Release) =>
  serviceNames.filter(
    (name) => JSON.stringify(template(before, name)) !== JSON.stringify(template(after, name)),
  )
/** The objects that are missing or different in the other release. */
const changed = (before: Release, after: Release) =>
  after.manifests
    .filter((manifest) => {
      const same = ({ kind, metadata }: Manifest) =>
        kind === manifest.kind && metadata.name === manifest.metadata.name
      return JSON.stringify(before.manifests.find(same)) !== JSON.stringify(manifest)
    })
    .map(({ kind, metadata }) => `${kind} ${metadata.name.replace('auth-gatehouse-', '')}`)
    .sort()

describe.skipIf(!helm)('every pod', () => {
  test.each([
    ['for trying out', bundled],
    ['in production', production],
  ])('has no right that it does not need, %s', async (_, values) => {
    const pods = (await render(values)).pods()
    expect(pods.length).toBeGreaterThanOrEqual(6)
    for (const { manifest, pod } of pods) {
      const name = `${manifest.kind} ${manifest.metadata.name}`
      expect(pod, name).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(pod.securityContext.runAsUser, name).toBeGreaterThan(0)
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(container.securityContext, `${name} ${container.name}`).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        const { requests, limits } = container.resources
        expect(Object.keys(requests).sort(), name).toEqual(['cpu', 'memory'])
        expect(Object.keys(limits), name).toEqual(['memory'])
      }
    }
  })

  test('runs as the user of the image', async () => {
    const dockerfile = readFileSync(join(repository, 'deploy/docker/Dockerfile'), 'utf8')
    const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
    for (const { pod } of (await render(production)).pods())
      expect(pod.securityContext).toMatchObject({ runAsUser: Number(user), runAsGroup: Number(group) })
  })

  test('runs the process of its name from the one image, and waits for the tables where it has a database', async () => {
    const release = await render(production)
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    const commands = readFileSync(join(repository, 'deploy/docker/entrypoint.ts'), 'utf8')
    const [job] = release.kinds('Job')
    for (const { pod } of release.pods()) {
      for (const { name, image, args } of [...(pod.initContainers ?? []), ...pod.containers]) {
        const options = name === 'migrate' ? ['--wait'] : []
        expect([image, args]).toEqual([`gatehouse:${version}`, [name, ...options]])
        expect(commands).toMatch(new RegExp(`'?${name}'?: `))
      }
    }
    for (const name of serviceNames) {
      const { initContainers = [] } = template(release, name).spec
      const waits = withDatabase.includes(name)
      expect(initContainers.map(({ name }: { name: string }) => name)).toEqual(
        waits ? ['wait-for-migrations'] : [],
      )
      const database = ['OAUTH2_DATABASE_DIRECT_URL', 'OAUTH2_DATABASE_URL'].map((name) => ({
        name,
        valueFrom: expect.anything(),
      }))
      const production = { name: 'NODE_ENV', value: 'production' }
      for (const { env } of initContainers) expect(env).toEqual([production, ...database])
    }
    expect(job?.spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name)).toEqual([
      'NODE_ENV',
      'OAUTH2_DATABASE_DIRECT_URL',
      'OAUTH2_DATABASE_URL',
      'OAUTH2_MIGRATION_DATABASE_URL',
    ])
  })

  test('has liveness, startup and readiness probes at the internal port', async () => {
    const release = await render(production)
    for (const name of serviceNames) {
      const container = release.container(name)
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: '/live', port: 'internal' } },
        livenessProbe: { httpGet: { path: '/live', port: 'internal' } },
        readinessProbe: { httpGet: { path: '/ready', port: 'internal' } },
      })
      expect(container.ports).toContainEqual({
        name: 'internal',
        containerPort: Number(release.environment(name).OAUTH2_INTERNAL_PORT),
      })
    }
  })

  test('has time to stop in order: until it gets no more requests, and then to finish those under way', async () => {
    const release = await render(production)
    const longestDrain = 10
    // Some clusters' name servers keep their answers for 30 s, and clients ask every 3 s.
    const longestUnknown = 33
    for (const name of serviceNames) {
      const { terminationGracePeriodSeconds } = template(release, name).spec
      const forgetting = release.container(name).lifecycle?.preStop.sleep.seconds as number
      expect(forgetting).toBeGreaterThan(longestUnknown)
      expect(terminationGracePeriodSeconds).toBeGreaterThan(forgetting + longestDrain)
      expect(release.find('Deployment', `auth-gatehouse-${name}`).spec.strategy).toEqual({
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: 0, maxSurge: '25%' },
      })
    }
  })
})

describe.skipIf(!helm)('an upgrade', () => {
  test('scales a single service', async () => {
    const [before, after] = [await render(fixed), await render({ ...fixed, token: { replicas: 5 } })]
    expect(changed(before, after)).toEqual(['Deployment token'])
    expect(after.find('Deployment', 'auth-gatehouse-token').spec.replicas).toBe(5)
  })

  test('leaves the number of pods to an autoscaler', async () => {
    const before = await render(fixed)
    const token = { autoscaling: { enabled: true, maxReplicas: 40, requestsInFlight: 25 } }
    const after = await render({ ...fixed, token })
    expect(changed(before, after)).toEqual(['Deployment token', 'HorizontalPodAutoscaler token'])
    expect(after.find('Deployment', 'auth-gatehouse-token').spec).not.toHaveProperty('replicas')
    const { spec } = after.find('HorizontalPodAutoscaler', 'auth-gatehouse-token')
    expect(spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'auth-gatehouse-token' },
      minReplicas: 2,
      maxReplicas: 40,
      metrics: [
        { resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '600m' } } },
        {
          pods: {
            metric: { name: 'oauth2_server_actor_mailbox_depth' },
            target: { type: 'AverageValue', averageValue: '25' },
          },
        },
      ],
    })
    expect(spec.behavior.scaleDown.stabilizationWindowSeconds).toBeGreaterThanOrEqual(300)
  })

  test('scales the gateway by its own metrics', async () => {
    const release = await render({
      ...production,
      defaults: { autoscaling: { enabled: true, requestsInFlight: 50 } },
    })
    const metrics = serviceNames.map((name) => {
      const { spec } = release.find('HorizontalPodAutoscaler', `auth-gatehouse-${name}`)
      return spec.metrics[1].pods.metric.name
    })
    const [gateway, ...services] = metrics
    expect(gateway).toBe('oauth2_server_back_pressure_under_way')
    expect(new Set(services)).toEqual(new Set(['oauth2_server_actor_mailbox_depth']))
  })

  test.each<[what: string, values: object, names: string[]]>([
    ['the lifetime of tokens', { config: { OAUTH2_ACCESS_TOKEN_TTL: 600 } }, ['token']],
    ['a limit', { config: { OAUTH2_RATE_LIMIT_TOKEN: 50 } }, ['gateway']],
    ['a backend of events', { config: { OAUTH2_EVENTS_BACKEND: 'console' } }, ['events']],
    [
      'a switch of three services',
      { config: { OAUTH2_REFRESH_TOKEN_ENABLED: true } },
      ['gateway', 'token', 'client-registry'],
    ],
    ['what all log', { config: { LOG_LEVEL: 'warn' } }, [...serviceNames]],
    ['nothing, but says a default', { config: {}, token: {} }, []],
    ['a secret', { secrets: { ...fixed.secrets, OAUTH2_SEED_PASSWORD: 'battery staple' } }, ['identity']],
    [
      'a secret that was not there',
      { secrets: { ...fixed.secrets, OAUTH2_REGISTRATION_TOKEN: 'z'.repeat(32) } },
      ['gateway'],
    ],
    [
      'the database',
      { secrets: { ...fixed.secrets, OAUTH2_DATABASE_URL: 'postgresql://gatehouse@other/gatehouse' } },
      withDatabase,
    ],
    ['who reaches the metrics', { networkPolicy: { metricsFrom: [] } }, []],
  ])('replaces only the pods that know of it when it changes %s', async (_, values, names) => {
    expect(replaced(await render(fixed), await render({ ...fixed, ...values }))).toEqual(names)
  })

  test('gives the migration Job another name when what it would run changes, including the database', async () => {
    const jobOf = async (values: object) =>
      (await render({ ...fixed, ...values })).kinds('Job')[0]?.metadata.name
    const names = await Promise.all([
      jobOf({}),
      jobOf({ image: { tag: 'another' } }),
      jobOf({ migrations: { extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/ca.crt' }] } }),
      jobOf({ secrets: { ...fixed.secrets, OAUTH2_DATABASE_URL: 'postgresql://other/gatehouse' } }),
    ])
    expect(new Set(names).size).toBe(4)
    expect(await jobOf({ config: { LOG_LEVEL: 'warn' }, token: { replicas: 9 } })).toBe(names[0])
  })

  test('makes the same objects from the same values if no secret is generated', async () => {
    for (const values of [production, fixed]) {
      const [first, second] = [await renderAgain(values), await renderAgain(values)]
      expect(second.text).toBe(first.text)
    }
  })
})
