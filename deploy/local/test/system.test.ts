import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type ServiceName, serviceNames } from '../src/services.ts'
import { type SystemOptions, startSystem } from '../src/system.ts'
import { makeWorkspace, processesOf, until } from './workspace.ts'

const patience = 60_000

async function start(workspace: ReturnType<typeof makeWorkspace>, rest: Partial<SystemOptions> = {}) {
  const { directory, env } = workspace
  const messages: string[] = []
  const system = await startSystem({
    env,
    log: (line) => messages.push(line),
    durable: false,
    entry: (name) => join(directory, `${name}.mjs`),
    ...rest,
  })
  onTestFinished(() => system.stop())
  return Object.assign(system, { messages })
}

function environmentsOf(directory: string, name: ServiceName): Record<string, string>[] {
  return readFileSync(join(directory, `${name}.env`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test(
  'the first start makes secrets and an admin’s password, later ones keep the secrets and forget the password',
  async () => {
    const workspace = makeWorkspace()
    const { directory, data } = workspace
    const first = await start(workspace)
    expect(first.firstStart).toBe(true)
    expect(first.generatedPassword).toMatch(/^([a-z0-9]{5}-){3}[a-z0-9]{5}$/)
    expect(first.messages).toEqual([])
    expect(statSync(join(data, 'secrets.json')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(data, 'secrets.json'), 'utf8')).not.toContain(first.generatedPassword)
    const response = await fetch(`${first.baseUrl}/`)
    expect(await response.text()).toBe(`gateway ${first.processes[0]?.pid}`)
    await first.stop()
    expect(processesOf(directory)).toEqual([])

    const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'))
    expect(secrets.factorKey).toMatch(/^[\w-]{64}$/)
    expect(environmentsOf(directory, 'identity')[0]?.OAUTH2_FACTOR_KEY).toBe(secrets.factorKey)
    const second = await start(workspace)
    expect(JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'))).toEqual(secrets)
    expect(second.firstStart).toBe(false)
    expect(second.generatedPassword).toBeUndefined()
    const [before, after] = environmentsOf(directory, 'token')
    expect(after?.OAUTH2_JWT_SECRET).toBe(before?.OAUTH2_JWT_SECRET)
    const [seeded, unseeded] = environmentsOf(directory, 'identity')
    expect(seeded?.OAUTH2_SEED_PASSWORD).toBe(first.generatedPassword)
    expect(unseeded?.OAUTH2_SEED_PASSWORD).toBeUndefined()
  },
  patience,
)

test(
  'a password that was chosen is used and none made up; a start that failed half-way keeps the one it made up',
  async () => {
    const workspace = makeWorkspace()
    const { directory, behave } = workspace
    behave('token:refuse')
    await expect(start(workspace)).rejects.toThrow(/^token: LOG_LEVEL|^LOG_LEVEL must be/)
    expect(processesOf(directory)).toEqual([])
    behave()
    const second = await start(workspace)
    expect(second.generatedPassword).toBeDefined()
    const seeds = environmentsOf(directory, 'identity').map((variables) => variables.OAUTH2_SEED_PASSWORD)
    expect(new Set(seeds)).toEqual(new Set([second.generatedPassword]))

    const chosen = makeWorkspace()
    const system = await start(chosen, { env: { ...chosen.env, OAUTH2_SEED_PASSWORD: 'a chosen one' } })
    expect(system.generatedPassword).toBeUndefined()
    expect(environmentsOf(chosen.directory, 'identity')[0]?.OAUTH2_SEED_PASSWORD).toBe('a chosen one')
  },
  patience,
)

test(
  'each service gets what it needs, knows where the others are, and no secret that it has no use for',
  async () => {
    const workspace = makeWorkspace()
    const next = ['OAUTH2_JWT_SECRET_NEXT', 'OAUTH2_SESSION_KEY_NEXT', 'OAUTH2_FACTOR_KEY_NEXT'] as const
    const others = Object.fromEntries(next.map((name) => [name, `the other ${name}, of 32 bytes or more`]))
    const env = { ...workspace.env, ...others, LOG_LEVEL: 'warn', AWS_SECRET_ACCESS_KEY: 'not ours' }
    const system = await start(workspace, { env })
    const variables = Object.fromEntries(
      serviceNames.map((name) => [name, environmentsOf(workspace.directory, name)[0] ?? {}]),
    )
    const holders = (name: string) => serviceNames.filter((service) => variables[service]?.[name])
    expect(holders('OAUTH2_DATABASE_URL')).toEqual(['token', 'client-registry', 'identity', 'events'])
    expect(holders('OAUTH2_JWT_SECRET')).toEqual(['token'])
    expect(holders('OAUTH2_SESSION_KEY')).toEqual(['gateway'])
    expect(holders('OAUTH2_FACTOR_KEY')).toEqual(['identity'])
    expect(next.map(holders)).toEqual([['token'], ['gateway'], ['identity']])
    expect(holders('OAUTH2_SEED_PASSWORD')).toEqual(['identity'])
    expect(holders('AWS_SECRET_ACCESS_KEY')).toEqual([])
    expect(holders('LOG_LEVEL')).toEqual([...serviceNames])

    const token = system.processes.find(({ name }) => name === 'token')
    expect(variables.token?.OAUTH2_GRPC_PORT).toBe(String(token?.grpcPort))
    expect(variables.gateway?.OAUTH2_TOKEN_ADDR).toBe(`127.0.0.1:${token?.grpcPort}`)
    expect(variables.gateway?.OAUTH2_SERVER_PUBLIC_BASE_URL).toBe(system.baseUrl)
    expect(variables.gateway?.argv).toEqual(['--max-semi-space-size=64'])
    const ports = system.processes.flatMap(({ grpcPort, internalPort }) => [grpcPort, internalPort])
    expect(new Set(ports).size).toBe(10)

    const secrets = [variables.token?.OAUTH2_JWT_SECRET, system.databaseUrl.split(':')[2]?.split('@')[0]]
    const commandLines = processesOf(workspace.directory).join('\n')
    for (const secret of secrets) expect(commandLines).not.toContain(secret)
  },
  patience,
)

test(
  'a service that crashes is started again on its ports, and that is said',
  async () => {
    const workspace = makeWorkspace()
    const crashed: string[] = []
    const system = await start(workspace, { onCrash: (name) => crashed.push(name) })
    const events = system.processes.find(({ name }) => name === 'events')
    const before = events?.pid
    const ask = () =>
      fetch(`http://127.0.0.1:${events?.internalPort}/`)
        .then((response) => response.text())
        .catch(() => '')
    events?.kill('SIGKILL')
    const answer = await until(ask, (text) => text !== '' && text !== `events ${before}`)
    expect(answer).toBe(`events ${events?.pid}`)
    expect(crashed).toEqual(['events'])
    expect(system.messages).toEqual(['events stopped unexpectedly (signal SIGKILL); starting it again'])

    // One that does not come back is tried again and again, ever more slowly, and does not hinder the stop.
    writeFileSync(join(workspace.directory, 'events.crash'), '')
    events?.kill('SIGKILL')
    await until(
      () => system.messages.length,
      (count) => count >= 4,
    )
    expect(system.messages.at(-1)).toBe('events stopped unexpectedly (Error: out of luck); starting it again')
    await system.stop()
    expect(processesOf(workspace.directory)).toEqual([])
  },
  patience,
)

test(
  'variables that are wrong are all named before anything starts, whichever process reads them',
  async () => {
    const workspace = makeWorkspace()
    const wrong = {
      LOG_LEVEL: 'loud',
      OAUTH2_SERVER_PORT: 'eighty',
      OAUTH2_ACCESS_TOKEN_TTL: 'long',
      OAUTH2_REGISTRATION: 'token',
      OAUTH2_SERVER_TRUST_PROXY_HEADERS: '0.0.0.0/0',
      OAUTH2_SEED_PASSWORD: 'short',
      OAUTH2_EVENTS_ENABLED: 'true',
      OAUTH2_EVENTS_BACKEND: 'redis,kafka',
      OAUTH2_EVENTS_KAFKA_USERNAME: 'ann',
      OAUTH2_GOOGLE_CLIENT_ID: 'google',
      NODE_ENV: 'production',
      OAUTH2_JWT_SECRET: 'a short secret',
    }
    const failure = await start(workspace, { env: { ...workspace.env, ...wrong } }).catch((error) => error)
    expect(failure.name).toBe('ConfigurationError')
    expect(failure.message.split('\n').map((line: string) => line.split(' ', 1)[0])).toEqual([
      'OAUTH2_SERVER_PORT',
      ...['LOG_LEVEL', 'OAUTH2_ACCESS_TOKEN_TTL', 'OAUTH2_SEED_PASSWORD'],
      ...['OAUTH2_SERVER_TRUST_PROXY_HEADERS', 'OAUTH2_REGISTRATION_TOKEN', 'OAUTH2_JWT_SECRET'],
      ...['OAUTH2_GOOGLE_CLIENT_SECRET', 'OAUTH2_EVENTS_REDIS_URL'],
      ...['OAUTH2_EVENTS_KAFKA_BROKERS', 'OAUTH2_EVENTS_KAFKA_USERNAME'],
    ])
    expect(failure.message).not.toMatch(/short secret/)
    expect(existsSync(workspace.data)).toBe(false)
  },
  patience,
)

test(
  'what is wrong with variables, and what services warn of while they start, is said once',
  async () => {
    const workspace = makeWorkspace()
    workspace.behave('identity:warn')
    const variables = {
      OAUTH2_JWT_SECRET: 'short',
      OAUTH2_SESSION_KEY: 'shorter',
      OAUTH2_ACESS_TOKEN_TTL: '60',
      OAUTH2_GRPC_HSOT: 'x',
    }
    const { messages } = await start(workspace, { env: { ...workspace.env, ...variables } })
    const guess = 'Anybody who guesses it can forge what it protects.'
    expect(messages).toEqual([
      'OAUTH2_ACESS_TOKEN_TTL is unknown and has no effect; the nearest known name is OAUTH2_ACCESS_TOKEN_TTL',
      'OAUTH2_GRPC_HSOT is unknown and has no effect; the nearest known name is OAUTH2_GRPC_HOST',
      `OAUTH2_SESSION_KEY must have at least 32 bytes; it has 7. ${guess}`,
      `OAUTH2_JWT_SECRET must have at least 32 bytes; it has 5. ${guess}`,
      'identity: Redis does not answer (connection refused)',
      'identity: sending events: failed (connect ECONNREFUSED)',
    ])
  },
  patience,
)

test(
  'a start that fails says why in one line and leaves no process',
  async () => {
    const workspace = makeWorkspace()
    const { directory, data, env, behave } = workspace
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as { port: number }
    const cases: [variables: NodeJS.ProcessEnv, message: RegExp][] = [
      [
        { OAUTH2_SERVER_PORT: String(port) },
        new RegExp(`^Port ${port} is taken: stop the other program or set OAUTH2_SERVER_PORT$`),
      ],
      [{ OAUTH2_SERVER_PORT: 'eighty' }, /^OAUTH2_SERVER_PORT must be a port number .*; it is "eighty"$/],
      [{ OAUTH2_SERVER_HOST: '192.0.2.1' }, /^OAUTH2_SERVER_HOST 192\.0\.2\.1 is not an address of this/],
      [{ OAUTH2_DATABASE_URL: 'mysql://u:secret@h/d' }, /^OAUTH2_DATABASE_URL must be a postgresql:\/\//],
      [
        { OAUTH2_DATABASE_URL: `postgresql://u:secret@127.0.0.1:1/d` },
        /^Cannot connect to the database 127\.0\.0\.1:1\/d: .*ECONNREFUSED.*OAUTH2_DATABASE_URL right\?$/,
      ],
      // There Node.js's own recursive mkdir never comes to an end.
      [
        { GATEHOUSE_DATA_DIR: '/proc/nowhere' },
        /^The data directory \/proc\/nowhere cannot be used \(E\w+\)/,
      ],
      [
        { GATEHOUSE_DATA_DIR: join(directory, 'events.mjs') },
        /^The data directory \S+ cannot be used \(ENOTDIR\): set GATEHOUSE_DATA_DIR to another$/,
      ],
    ]
    for (const [variables, message] of cases) {
      const failure = await start(workspace, { env: { ...env, ...variables } }).catch((error) => error)
      expect(failure.message).toMatch(message)
      expect(failure.message).not.toMatch(/secret|\n/)
      expect(processesOf(directory)).toEqual([])
    }
    behave('identity:crash')
    await expect(start(workspace)).rejects.toThrow(
      `identity crashed at every start (Error: out of luck): see ${data}/logs/identity.log`,
    )
    expect(readFileSync(join(data, 'logs', 'identity.log'), 'utf8')).toContain('Error: out of luck')
    expect(processesOf(directory)).toEqual([])
  },
  patience,
)

test(
  'a database that is given is used instead, and its admin is left alone when there was one',
  async () => {
    const provider = makeWorkspace()
    const { databaseUrl } = await start(provider)
    const workspace = makeWorkspace()
    const system = await start(workspace, { env: { ...workspace.env, OAUTH2_DATABASE_URL: databaseUrl } })
    expect(system.postgres).toBeUndefined()
    expect(existsSync(join(workspace.data, 'postgres'))).toBe(false)
    expect(system.firstStart).toBe(false)
    expect(system.generatedPassword).toBeUndefined()
    expect(environmentsOf(workspace.directory, 'token')[0]?.OAUTH2_DATABASE_URL).toBe(databaseUrl)
  },
  patience,
)

test(
  'stopping takes less than 5 s even when a service does not listen',
  async () => {
    const workspace = makeWorkspace()
    workspace.behave('gateway:deaf')
    const system = await start(workspace)
    const began = performance.now()
    await system.stop()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(processesOf(workspace.directory)).toEqual([])
  },
  patience,
)
