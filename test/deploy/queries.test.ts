import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { browse, submit } from '@gatehouse/test/browser/browser-login'
import { basic, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import { type CertificateAuthority, createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import {
  hasPrometheus,
  type Rule,
  repository,
  startPrometheus,
  type TestPrometheus,
} from '@gatehouse/test/servers/prometheus'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { asGrafanaSends, dashboards } from './dashboards.ts'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const openssl = await program('openssl')

let authority: CertificateAuthority | undefined
let system: TestSystem
let prometheus: TestPrometheus
let client: RegisteredClient
let stopped = false
let traffic: Promise<unknown> | undefined

beforeAll(async () => {
  if (!hasPrometheus) return
  authority = openssl === undefined ? undefined : await createCertificateAuthority(openssl)
  system = await startTestSystem({
    OAUTH2_OPENID_ENABLED: 'true',
    ...(await authority?.issue(['IP:127.0.0.1'])),
    // The call that must fail comes from its own address.
    OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
    OAUTH2_RATE_LIMIT_ENABLED: 'true',
    OAUTH2_RATE_LIMIT_OTHER: '100000',
    OAUTH2_RATE_LIMIT_TOKEN: '100000',
    // Nothing listens there, so every request is counted in the gateway process.
    OAUTH2_REDIS_URL: 'redis://127.0.0.1:1',
    OAUTH2_RESILIENCE_ENABLED: 'true',
    OAUTH2_EVENTS_ENABLED: 'true',
  })
  const targets = system.processes.map(({ name, internalPort }) => [name, `127.0.0.1:${internalPort}`])
  prometheus = await startPrometheus(Object.fromEntries(targets))
  await untilReady(system)
  client = await system.register({
    grant_types: ['client_credentials', 'authorization_code'],
    redirect_uris: ['https://app.example/cb'],
  })
  traffic = keepBusy()
  // Long enough for rates over ten seconds.
  await until(async () => (await prometheus.query('count_over_time(up[1m]) >= 8')).length === 5, 40_000)
})

afterAll(async () => {
  stopped = true
  await traffic
  await prometheus?.stop()
  await system?.stop()
  await authority?.remove()
})

/** Some of every kind of request, including failing ones. */
async function keepBusy(): Promise<void> {
  const jar = new Map()
  while (!stopped) {
    const token = await issueToken(system, client).catch(() => '')
    await system.form('/oauth/introspect', { token })
    await system.form('/oauth/revoke', { token, ...client })
    await system.form('/oauth/token', { grant_type: 'client_credentials' }, basic(client.client_id, 'wrong'))
    await submit(system, jar, '/auth/login', { username: 'nobody', password: 'wrong' })
    await browse(system, jar, '/oauth/authorize?state=x')
    // Eventing is switched off, so the answer is 503.
    await system.json('/events/ingest', {})
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Calls that fail: the token service looks a client up while the registry hangs. */
async function breakSomething(): Promise<void> {
  const registry = system.processes.find(({ name }) => name === 'client-registry')
  process.kill(registry?.pid as number, 'SIGSTOP')
  try {
    const parameters = {
      response_type: 'code',
      client_id: `client_${crypto.randomUUID()}`,
      redirect_uri: 'https://app.example/cb',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const response = await system.request(`/oauth/authorize?${new URLSearchParams(parameters)}`, { headers })
    expect(response.status).toBe(503)
  } finally {
    process.kill(registry?.pid as number, 'SIGCONT')
  }
}

/** Whether an expression gives at least one number. */
async function hasData(expression: string): Promise<boolean> {
  const samples = await prometheus.query(expression)
  return samples.some(({ value }) => Number.isFinite(value))
}

/** A selector of series without the condition that keeps installations apart. */
const withoutInstallation = (series: string) => series.replace(/,?installation=~"\.\*"/, '').replace('{}', '')

describe.skipIf(!hasPrometheus)('with a Prometheus that asks a system at work', () => {
  test('every panel of the dashboards has data', { timeout: 60_000 }, async () => {
    await breakSomething()
    const expressions = dashboards.flatMap(([file, { panels }]) =>
      panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => ({ panel: `${file}: ${title}`, expression: asGrafanaSends(expr) })),
      ),
    )
    expect(expressions.length).toBeGreaterThan(50)
    let empty = expressions
    const look = async () => {
      const found = await Promise.all(empty.map(({ expression }) => hasData(expression)))
      empty = empty.filter((_, index) => !found[index])
      return empty.length === 0
    }
    await until(look, 20_000).catch(() => undefined)
    expect(empty).toEqual([])
  })

  test('the variables of the dashboards have values', async () => {
    for (const [file, { templating }] of dashboards) {
      for (const { type, definition = '' } of templating.list) {
        if (type !== 'query') continue
        const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? []
        const ofAll = series.replaceAll('$installation', '')
        const values = (await prometheus.query(`group by (${label}) (${ofAll})`)).map(
          (one) => one.metric[label],
        )
        const services = ['client-registry', 'events', 'gateway', 'identity', 'token']
        // A single installation needs no label, and the variable is empty then.
        expect(values.sort(), file).toEqual(label === 'installation' ? [undefined] : services)
      }
    }
  })

  test('every rule can be evaluated, and its series have data', { timeout: 60_000 }, async () => {
    let rules: Rule[] = []
    await until(async () => {
      rules = await prometheus.rules()
      return rules.every(({ health }) => health === 'ok')
    }, 20_000).catch(() => undefined)
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    expect(rules.map(({ name }) => name).sort()).toEqual(ruleNames().sort())
    for (const { name, query, type } of rules) {
      if (type === 'recording') expect(await hasData(name), name).toBe(true)
      for (const series of seriesIn(query))
        if (!rare.has(withoutInstallation(series)))
          expect(await hasData(series), `${name}: ${series}`).toBe(true)
    }
  })
})

/** The names of the alerts and recorded series in the rule files. */
function ruleNames(): string[] {
  const directory = join(repository, 'deploy/prometheus/rules')
  const files = readdirSync(directory).map((file) => parse(readFileSync(join(directory, file), 'utf8')))
  const rules: { alert?: string; record?: string }[] = files.flatMap(({ groups }) =>
    groups.flatMap((group: { rules: unknown }) => group.rules),
  )
  return rules.map(({ alert, record }) => alert ?? record ?? '')
}

/** The series that exist only while a key is staged, and where the gateway speaks https by itself. */
const rare = new Set([
  'oauth2_server_signing_key_staged_timestamp_seconds',
  'oauth2_server_tls_certificate_expiry_timestamp_seconds',
])

/**
 * The series that an expression needs, except those of failed answers, because there should be none.
 */
function seriesIn(expression: string): string[] {
  const found = expression.matchAll(
    /\b((?:oauth2_server_|gatehouse:|nodejs_|process_|up\b)[\w:]*)(\{[^}]*\})?/g,
  )
  const series = [...found].map(([, name = '', labels = '']) => name + labels.replace(/,status=~"5\.\."/, ''))
  expect(series.length, expression).toBeGreaterThan(0)
  return series
}
