import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { loadConfig } from '@gatehouse/kit/config/load-config'
import { environmentOf, type ServiceName, serviceNames } from '@gatehouse/local/services'
import { program, run } from '@gatehouse/test/programs/programs'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { clientRegistryConfig } from '../../services/client-registry/src/config.ts'
import { eventsConfig } from '../../services/events/src/config.ts'
import { gatewayConfig } from '../../services/gateway/src/config.ts'
import { identityConfig } from '../../services/identity/src/config.ts'
import { tokenConfig } from '../../services/token/src/config.ts'
import {
  type ComposeService,
  composeDirectory,
  copyDeployment,
  fileAt,
  mountsOf,
  readCompose,
} from './compose-file.ts'

const compose = await program('docker-compose')

const schemas = {
  gateway: gatewayConfig,
  token: tokenConfig,
  'client-registry': clientRegistryConfig,
  identity: identityConfig,
  events: eventsConfig,
}

/** A copy of the deployment, in which secrets are generated without changing the real one. */
const copy = copyDeployment()
const makeEnv = () => run('sh', [join(copy, 'deploy/compose/make-env.sh')])
const made = await makeEnv()
const envFile = join(copy, 'deploy/compose/.env')
const secrets = parseEnv(readFileSync(envFile, 'utf8')) as Record<string, string>
const { text, services } = readCompose(secrets)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const find = (name: string) => services[name] as ComposeService
const environment = (name: string) => find(name).environment ?? {}

/** The variables of a resolved environment that have a value. */
const set = (variables: Record<string, string | null> = {}) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null))
/** A value for each variable of a service. */
const everyVariable = (name: ServiceName) =>
  Object.fromEntries(Object.keys(schemas[name].properties).map((variable) => [variable, 'a value']))

test('the secrets are generated once, are long enough, and can be read only by their owner', async () => {
  expect(made).toMatchObject({ ok: true })
  expect(statSync(envFile).mode & 0o077).toBe(0)
  const { COMPOSE_PROJECT_NAME: _, ...values } = secrets
  expect(Object.keys(values).length).toBeGreaterThanOrEqual(5)
  for (const [name, value] of Object.entries(values)) expect(value, name).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(Object.values(values)).size).toBe(Object.keys(values).length)
  expect(await makeEnv()).toMatchObject({ ok: false, stderr: expect.stringContaining('there already') })
  expect(parseEnv(readFileSync(envFile, 'utf8'))).toEqual(secrets)
})

test('the file contains no secret', () => {
  const lines = text.split('\n').filter((line) => /^\s+\w*(SECRET|PASSWORD|SESSION_KEY)\w*:/.test(line))
  expect(lines.length).toBeGreaterThanOrEqual(2)
  for (const line of lines) expect(line).toMatch(/(SECRET|PASSWORD|KEY): \$\{\w+:\?[^}]+\}$|_ENABLED: /)
})

test.skipIf(compose === undefined)('docker-compose accepts the file', async () => {
  const options = { cwd: join(copy, 'deploy/compose'), env: { PATH: process.env.PATH } }
  const { ok, stdout, stderr } = await run(compose as string, ['-f', 'compose.yaml', 'config'], options)
  expect({ ok, stderr }).toEqual({ ok: true, stderr: '' })
  const { services: resolved } = parse(stdout) as { services: Record<string, ComposeService> }
  expect(Object.keys(resolved).sort()).toEqual(Object.keys(services).sort())
  for (const name of serviceNames) expect(set(resolved[name]?.environment), name).toEqual(environment(name))
})

test.skipIf(compose === undefined)(
  'what is added to .env reaches the services that read it, and no others',
  async () => {
    const added = { OAUTH2_REGISTRATION: 'closed', OAUTH2_SMTP_URL: 'smtp://mail.example', LOG_LEVEL: 'warn' }
    const options = { cwd: join(copy, 'deploy/compose'), env: { PATH: process.env.PATH, ...added } }
    const { stdout } = await run(compose as string, ['-f', 'compose.yaml', 'config'], options)
    const { services: resolved } = parse(stdout) as { services: Record<string, ComposeService> }
    const holders = (variable: string) =>
      serviceNames.filter((name) => set(resolved[name]?.environment)[variable] !== undefined)
    expect(holders('OAUTH2_REGISTRATION')).toEqual(['gateway', 'client-registry'])
    expect(holders('OAUTH2_SMTP_URL')).toEqual(['identity'])
    expect(holders('LOG_LEVEL')).toEqual(serviceNames)
    expect(resolved.identity?.environment).toMatchObject({
      OAUTH2_SMTP_URL: added.OAUTH2_SMTP_URL,
      LOG_LEVEL: 'warn',
    })
  },
)

test.skipIf(compose === undefined)(
  'authorities and secrets of the user’s own reach the services with their files, and nothing is mounted without',
  async () => {
    const authorities = '/etc/own/authorities.pem'
    const cwd = join(copy, 'deploy/compose')
    for (const [added, mounted] of [
      [
        { NODE_EXTRA_CA_CERTS: authorities, SECRETS_DIRECTORY: '/own/secrets' },
        [`${authorities}:${authorities}:ro`, '/own/secrets:/etc/gatehouse/secrets:ro'],
      ],
      [{}, ['/dev/null:/etc/gatehouse/no-authorities:ro', '/dev/null:/etc/gatehouse/secrets:ro']],
    ] as const) {
      const { stdout } = await run(compose as string, ['-f', 'compose.yaml', 'config'], {
        cwd,
        env: { PATH: process.env.PATH, ...added },
      })
      const { services: resolved } = parse(stdout) as { services: Record<string, ComposeService> }
      for (const name of serviceNames) {
        expect(resolved[name]?.volumes?.toSorted(), name).toEqual(mounted.toSorted())
        expect(resolved[name]?.environment?.NODE_EXTRA_CA_CERTS ?? undefined, name).toBe(
          Object.values(added)[0],
        )
      }
      expect(resolved.migrate).not.toHaveProperty('volumes')
    }
  },
)

test.each(serviceNames)('%s takes every variable that it reads, or has it set', (name) => {
  const taken = Object.keys(
    readCompose({ ...secrets, ...everyVariable(name) }).services[name]?.environment ?? {},
  )
  const missing = Object.keys(schemas[name].properties).filter((variable) => !taken.includes(variable))
  // Plain calls stay in the network of the five processes, OTEL_EXPORTER_OTLP_ENDPOINT names the collector, and the
  // file's own database has no pooler.
  const unneeded = /^OAUTH2_(GRPC_TLS_\w+|OTLP_ENDPOINT|SERVER_HOST|DATABASE_(POOLER|DIRECT_URL))$/
  expect(missing.filter((variable) => !unneeded.test(variable))).toEqual([])
})

test.each(serviceNames)(
  '%s gets what it needs to start, knows all of it, and gets no other secret',
  (name) => {
    const own = environment(name)
    const known = Object.keys(schemas[name].properties)
    const variables = Object.keys(own).filter((variable) => !variable.startsWith('OTEL_'))
    expect(variables.filter((variable) => !known.includes(variable))).toEqual([])
    expect(loadConfig(schemas[name], own)).toMatchObject({ NODE_ENV: 'production' })
    const set = Object.keys(own).filter((variable) => own[variable] !== '')
    expect(Object.keys(environmentOf(name, own, {})).sort()).toEqual(set.sort())
  },
)

test('every service has the address that the others call', () => {
  for (const name of serviceNames) {
    for (const [variable, value] of Object.entries(environment(name))) {
      if (!variable.endsWith('_ADDR')) continue
      const [, host = '', port] = /^dns:\/\/\/(.+):(\d+)$/.exec(value) ?? []
      const { OAUTH2_GRPC_HOST, OAUTH2_GRPC_PORT } = environment(host.replace(/-grpc$/, ''))
      expect([OAUTH2_GRPC_HOST, OAUTH2_GRPC_PORT], `${name} ${variable}`).toEqual([host, port])
    }
  }
  const database = new URL(environment('token').OAUTH2_DATABASE_URL as string)
  const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = environment(database.hostname)
  expect([database.username, database.pathname, database.password]).toEqual([
    POSTGRES_USER,
    `/${POSTGRES_DB}`,
    POSTGRES_PASSWORD,
  ])
  expect(services).toHaveProperty(new URL(environment('gateway').OAUTH2_REDIS_URL as string).hostname)
})

test('the services start only after the migrations', () => {
  expect(find('migrate').command).toEqual(['migrate'])
  for (const name of ['token', 'client-registry', 'identity', 'events'])
    expect(find(name).depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } })
})

test('every service runs the same image under its own name, without unneeded privileges', () => {
  for (const name of [...serviceNames, 'migrate']) {
    const { image, command, read_only, cap_drop, build } = find(name)
    expect([image, command, read_only, cap_drop]).toEqual(['gatehouse:local', [name], true, ['ALL']])
    expect(existsSync(join(composeDirectory, build?.context ?? '', build?.dockerfile ?? '?')), name).toBe(
      true,
    )
  }
})

test('only the gateway can be reached from other machines, and no internal port', () => {
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => [name, port]),
  )
  expect(published.filter(([, port]) => !port?.startsWith('127.0.0.1:'))).toEqual([['gateway', '8080:8080']])
  expect(published.map(([name]) => name).sort()).toEqual(['gateway', 'grafana', 'jaeger', 'prometheus'])
})

test('monitoring can reach the metrics of the processes, but neither their RPCs nor the database', () => {
  const networksOf = (name: string) => Object.keys(find(name).networks).sort()
  for (const name of ['prometheus', 'grafana', 'jaeger', 'otel-collector'])
    expect(networksOf(name), name).toEqual(['monitoring'])
  for (const name of ['postgres', 'migrate']) expect(networksOf(name), name).toEqual(['database'])
  expect(networksOf('redis')).toEqual(['limits'])
  expect(networksOf('gateway')).toEqual(['grpc', 'limits', 'monitoring'])
  for (const name of serviceNames.filter((one) => one !== 'gateway')) {
    // A name that resolves only to the address in this network, so that no other address accepts calls.
    const { grpc, ...others } = find(name).networks
    expect(grpc, name).toEqual({ aliases: [environment(name).OAUTH2_GRPC_HOST] })
    expect(others, name).toEqual({ database: {}, monitoring: {} })
    expect(services).not.toHaveProperty(environment(name).OAUTH2_GRPC_HOST as string)
  }
})

test('third-party images have a fixed version, and a digest if it is known', () => {
  const others = Object.values(services).flatMap(({ image, build }) => (build ? [] : [image]))
  expect(others).toHaveLength(6)
  for (const image of others) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-alpine)?(@sha256:[0-9a-f]{64})?$/)
  expect(others.filter((image) => image.includes('@')).map((image) => image.split(':')[0])).toEqual([
    'postgres',
    'redis',
    'prom/prometheus',
  ])
})

test('every mounted file exists', () => {
  for (const [name, service] of Object.entries(services))
    for (const { file } of mountsOf(service)) expect(existsSync(file), `${name}: ${file}`).toBe(true)
})

test('Prometheus scrapes the internal port of every process, and has the rules', () => {
  const prometheus = find('prometheus')
  const file = (prometheus.command?.[0] ?? '').replace('--config.file=', '')
  const { scrape_configs, rule_files } = parse(readFileSync(fileAt(prometheus, file), 'utf8'))
  const [{ job_name, dns_sd_configs }] = scrape_configs
  expect(job_name).toBe('gatehouse')
  expect(dns_sd_configs[0].names.sort()).toEqual([...serviceNames].sort())
  for (const name of serviceNames) {
    const { OAUTH2_INTERNAL_HOST, OAUTH2_INTERNAL_PORT } = environment(name)
    expect([OAUTH2_INTERNAL_HOST, Number(OAUTH2_INTERNAL_PORT)], name).toEqual([
      '0.0.0.0',
      dns_sd_configs[0].port,
    ])
  }
  expect(rule_files).toEqual(['rules/*.yaml'])
  expect(fileAt(prometheus, '/etc/prometheus/rules')).toContain('deploy/prometheus/rules')
})

test('Grafana has its data sources and both dashboards', () => {
  const grafana = find('grafana')
  const read = (path: string) =>
    parse(readFileSync(fileAt(grafana, `/etc/grafana/provisioning/${path}`), 'utf8'))
  for (const { url } of read('datasources/gatehouse.yaml').datasources) {
    const { hostname, port } = new URL(url)
    expect(find(hostname).ports).toEqual([`127.0.0.1:${port}:${port}`])
  }
  const { path } = read('dashboards/gatehouse.yaml').providers[0].options
  for (const name of ['overview', 'objectives'])
    expect(existsSync(fileAt(grafana, `${path}/${name}.json`))).toBe(true)
  expect(
    existsSync(fileAt(grafana, environment('grafana').GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH as string)),
  ).toBe(true)
})

test('traces are sent to the collector, and from there to Jaeger', () => {
  const collector = find('otel-collector')
  const { receivers, exporters, processors, service } = parse(
    readFileSync(fileAt(collector, '/etc/otelcol/config.yaml'), 'utf8'),
  )
  for (const name of serviceNames) {
    const { hostname, port } = new URL(environment(name).OTEL_EXPORTER_OTLP_ENDPOINT as string)
    expect([hostname, `0.0.0.0:${port}`]).toEqual(['otel-collector', receivers.otlp.protocols.http.endpoint])
  }
  expect(services).toHaveProperty(exporters.otlp.endpoint.split(':')[0])
  const { traces } = service.pipelines
  expect(Object.keys(receivers)).toEqual(traces.receivers)
  expect(Object.keys(processors)).toEqual(traces.processors)
  expect(Object.keys(exporters)).toEqual(traces.exporters)
})
