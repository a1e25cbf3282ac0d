import { join } from 'node:path'
import { serviceSchemas } from '@gatehouse/local/service-schemas'
import { serviceNames } from '@gatehouse/local/services'
import { run } from '@gatehouse/test/programs/programs'
import { describe, expect, test } from 'vitest'
import {
  chartDirectory,
  expectRefused,
  helm,
  notes,
  production,
  Release,
  render,
  scratchFile,
} from './chart.ts'

const made = ['OAUTH2_JWT_SECRET', 'OAUTH2_SESSION_KEY', 'OAUTH2_FACTOR_KEY', 'OAUTH2_SEED_PASSWORD']
const secretRefs: Record<string, { name: string; key?: string }> = {
  OAUTH2_DATABASE_URL: { name: 'main-app', key: 'uri' },
  OAUTH2_MIGRATION_DATABASE_URL: { name: 'main-owner', key: 'uri' },
  OAUTH2_REDIS_URL: { name: 'cache' },
  OAUTH2_SESSION_KEY_NEXT: { name: 'keys', key: 'session-next' },
  ...Object.fromEntries(made.map((name) => [name, { name: 'keys', key: name.toLowerCase() }])),
}
const { existingSecret: _, ...values } = production
const jobOf = (release: Release) => release.kinds('Job')[0]?.spec.template.spec.containers[0]
const referencesOf = ({ env }: { env: { name: string; valueFrom?: { secretKeyRef?: object } }[] }) =>
  Object.fromEntries(
    env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef]] : [])),
  )

describe.skipIf(!helm)('secrets that are named one by one', () => {
  test('come from where they are, to the services that read them and no others', async () => {
    const release = await render({ ...values, generateSecrets: false, secretRefs })
    for (const name of serviceNames) {
      const known = Object.entries(secretRefs).filter(
        ([variable]) => variable in serviceSchemas[name].properties,
      )
      const expected = known.map(([variable, { name, key = variable }]) => [
        variable,
        `secret:${name}/${key}`,
      ])
      const got = Object.entries(release.environment(name)).filter(([, value]) => value.startsWith('secret:'))
      expect(Object.fromEntries(got), name).toEqual(Object.fromEntries(expected))
      expect(known.length, name).toBeGreaterThan(0)
      const { metadata, spec } = release.find('Deployment', `auth-gatehouse-${name}`).spec.template
      expect(metadata.annotations).not.toHaveProperty('checksum/secrets')
      for (const container of spec.initContainers ?? [])
        expect(referencesOf(container)).toEqual({ OAUTH2_DATABASE_URL: { name: 'main-app', key: 'uri' } })
    }
    expect(referencesOf(jobOf(release))).toEqual({
      OAUTH2_DATABASE_URL: { name: 'main-app', key: 'uri' },
      OAUTH2_MIGRATION_DATABASE_URL: { name: 'main-owner', key: 'uri' },
    })
    expect(release.kinds('Secret')).toEqual([])
  })

  test('stand beside those of an existing Secret, and beside those that the chart keeps', async () => {
    const { OAUTH2_DATABASE_URL, OAUTH2_JWT_SECRET } = secretRefs
    const beside = await render({ ...production, secretRefs: { OAUTH2_DATABASE_URL } })
    expect(beside.environment('token')).toMatchObject({
      OAUTH2_DATABASE_URL: 'secret:main-app/uri',
      OAUTH2_JWT_SECRET: 'secret:gatehouse-secrets/OAUTH2_JWT_SECRET',
    })
    const secrets = { OAUTH2_SESSION_KEY: 's'.repeat(32), OAUTH2_SESSION_KEY_NEXT: 't'.repeat(32) }
    const kept = await render({ ...values, secretRefs: { OAUTH2_DATABASE_URL, OAUTH2_JWT_SECRET }, secrets })
    const data = kept.find('Secret', 'auth-gatehouse-secrets').data
    expect(Object.keys(data).sort()).toEqual([
      'OAUTH2_FACTOR_KEY',
      'OAUTH2_SEED_PASSWORD',
      'OAUTH2_SESSION_KEY',
      'OAUTH2_SESSION_KEY_NEXT',
    ])
    const nextOf = serviceNames.filter((name) => 'OAUTH2_SESSION_KEY_NEXT' in kept.environment(name))
    expect(nextOf).toEqual(['gateway'])
    expect(kept.environment('token').OAUTH2_JWT_SECRET).toBe('secret:keys/oauth2_jwt_secret')
    // Without both long keys a sum of the others would let who reads annotations try passwords.
    expect(kept.text).not.toContain('checksum/secrets')
  })

  test('of another database are left where they are while the bundled one is used', async () => {
    const release = await render({ ...production, postgresql: { enabled: true, password: 'p' } })
    expect(referencesOf(jobOf(release))).toEqual({
      OAUTH2_DATABASE_URL: { name: 'auth-gatehouse-postgresql', key: 'OAUTH2_DATABASE_URL' },
    })
  })

  test('give the Job another name when another Secret is named', async () => {
    const names = await Promise.all(
      ['main-app', 'other-app'].map(async (name) => {
        const refs = { ...secretRefs, OAUTH2_DATABASE_URL: { name, key: 'uri' } }
        return (await render({ ...values, secretRefs: refs })).kinds('Job')[0]?.metadata.name
      }),
    )
    expect(new Set(names).size).toBe(2)
  })

  test('are told of in the notes, which name where the password is', async () => {
    const text = await notes({ ...values, secretRefs, config: { OAUTH2_REGISTRATION: 'token' } })
    expect(text).toContain("get secret keys -o jsonpath='{.data.oauth2_seed_password}'")
    expect(text).not.toContain('There is no Redis')
  })

  test.each<[what: string, values: object, message: RegExp]>([
    [
      'one that is given twice',
      { secretRefs, secrets: { OAUTH2_REDIS_URL: 'redis://a' } },
      /OAUTH2_REDIS_URL is given twice: name it under secrets or secretRefs, not both/,
    ],
    ['a second database', { secretRefs, postgresql: { enabled: true } }, /there are two databases/],
    [
      'a role for the bundled database',
      {
        postgresql: { enabled: true },
        secretRefs: { OAUTH2_MIGRATION_DATABASE_URL: { name: 'a' } },
      },
      /OAUTH2_MIGRATION_DATABASE_URL does not go with postgresql.enabled: the bundled database has one role/,
    ],
    [
      'a pooler of the bundled database',
      { postgresql: { enabled: true }, config: { OAUTH2_DATABASE_POOLER: 'transaction' } },
      /OAUTH2_DATABASE_POOLER and .* do not go with postgresql.enabled: the bundled database has no pooler/,
    ],
    [
      'a pooler in transaction mode alone',
      { secretRefs, config: { OAUTH2_DATABASE_POOLER: 'transaction' } },
      /OAUTH2_DATABASE_DIRECT_URL is missing: with config.OAUTH2_DATABASE_POOLER=transaction give the address/,
    ],
    ['a second Redis', { secretRefs, redis: { enabled: true } }, /there are two Redis/],
    ['a variable that is not secret', { secretRefs: { LOG_LEVEL: { name: 'a' } } }, /LOG_LEVEL.*not allowed/],
    ['a Secret without name', { secretRefs: { OAUTH2_REDIS_URL: { key: 'a' } } }, /name.*required/],
  ])('are refused: %s', (_, more, message) => expectRefused({ ...values, ...more }, message))
})

const secretFiles = Object.fromEntries(
  [
    'OAUTH2_DATABASE_URL',
    'OAUTH2_MIGRATION_DATABASE_URL',
    'OAUTH2_REDIS_URL',
    'OAUTH2_JWT_SECRET',
    'OAUTH2_SESSION_KEY',
    'OAUTH2_FACTOR_KEY',
    'OAUTH2_SEED_PASSWORD',
  ].map((name) => [name, `/secrets/${name}`]),
)
const filesIn = (env: { name: string; value?: string }[]) =>
  Object.fromEntries(env.flatMap(({ name, value }) => (name.endsWith('_FILE') ? [[name, value]] : [])))
const filesOf = (variables: string[]) =>
  Object.fromEntries(variables.map((name) => [`${name}_FILE`, secretFiles[name]]))

describe.skipIf(!helm)('secrets in files', () => {
  test.each([
    ['all of them', values],
    ['those beside an existing Secret', production],
  ])('are named to the processes that read them and no others: %s', async (_, others) => {
    const release = await render({ ...others, generateSecrets: false, secretFiles })
    for (const name of serviceNames) {
      const known = Object.keys(secretFiles).filter((variable) => variable in serviceSchemas[name].properties)
      expect(known.length, name).toBeGreaterThan(0)
      expect(filesIn(release.container(name).env ?? []), name).toEqual(filesOf(known))
      for (const variable of known) expect(release.environment(name)).not.toHaveProperty(variable)
      const { spec } = release.find('Deployment', `auth-gatehouse-${name}`).spec.template
      for (const { env } of spec.initContainers ?? [])
        expect(filesIn(env)).toEqual(filesOf(['OAUTH2_DATABASE_URL']))
    }
    const [job] = release.kinds('Job')
    expect(filesIn(job?.spec.template.spec.containers[0].env)).toEqual(
      filesOf(['OAUTH2_DATABASE_URL', 'OAUTH2_MIGRATION_DATABASE_URL']),
    )
    expect(release.kinds('Secret')).toEqual([])
  })

  test('are told of in the notes', async () => {
    const text = await notes({ ...values, secretFiles, config: { OAUTH2_REGISTRATION: 'token' } })
    expect(text).toContain('it is in the file /secrets/OAUTH2_SEED_PASSWORD of the identity pods')
    expect(text).not.toMatch(/get secret|There is no Redis/)
  })

  test.each<[what: string, values: object, message: RegExp]>([
    [
      'one that is given twice',
      { secretFiles, secrets: { OAUTH2_REDIS_URL: 'redis://a' } },
      /OAUTH2_REDIS_URL is given twice: name it under secretFiles alone, or not there/,
    ],
    [
      'one that is also in another Secret',
      { secretFiles, secretRefs: { OAUTH2_REDIS_URL: { name: 'a' } } },
      /OAUTH2_REDIS_URL is given twice/,
    ],
    ['a second database', { secretFiles, postgresql: { enabled: true } }, /there are two databases/],
    ['a second Redis', { secretFiles, redis: { enabled: true } }, /there are two Redis/],
    ['a variable that is not secret', { secretFiles: { LOG_LEVEL: '/a' } }, /LOG_LEVEL.*not allowed/],
    [
      'a value in place of a path',
      { secretFiles: { OAUTH2_REDIS_URL: 'redis://a' } },
      /OAUTH2_REDIS_URL.*pattern/,
    ],
  ])('are refused: %s', (_, more, message) => expectRefused({ ...values, ...more }, message))
})

describe.skipIf(!helm)('a site that stands by', () => {
  const standby = join(chartDirectory, 'values-standby.yaml')
  const site = async (...files: string[]) => {
    const own = scratchFile(
      JSON.stringify({
        ...values,
        secretRefs,
        token: { autoscaling: { enabled: true, maxReplicas: 20 } },
        gateway: { replicas: 5 },
        metrics: { serviceMonitor: { enabled: true }, prometheusRule: { enabled: true } },
      }),
    )
    const words = [own, ...files].flatMap((file) => ['--values', file])
    return run(helm as string, ['template', 'auth', chartDirectory, '--namespace', 'iam', ...words])
  }

  test('runs nothing, migrates nothing, and is led to by no name, but has all else of the first', async () => {
    const [first, second] = [await site(), await site(standby)]
    expect([first.ok, second.ok, second.stderr]).toEqual([true, true, ''])
    const [active, waiting] = [new Release(first.stdout), new Release(second.stdout)]
    for (const name of serviceNames)
      expect(waiting.find('Deployment', `auth-gatehouse-${name}`).spec.replicas, name).toBe(0)
    const left = [
      'Job',
      'HorizontalPodAutoscaler',
      'HTTPRoute',
      'Ingress',
      'PrometheusRule',
      'ServiceMonitor',
    ]
    for (const kind of left) expect(waiting.kinds(kind), kind).toEqual([])
    for (const kind of ['ConfigMap', 'Certificate', 'NetworkPolicy', 'ServiceAccount'])
      expect(waiting.kinds(kind).length, kind).toBe(active.kinds(kind).length)
    expect(active.kinds('Job')).toHaveLength(1)
  })
})
