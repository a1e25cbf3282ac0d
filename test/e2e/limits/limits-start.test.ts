import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { credentialsOf } from '@gatehouse/test/oauth'
import { startTestSystem } from '@gatehouse/test/system'
import { afterAll, expect, test } from 'vitest'

/** In milliseconds. Each test starts a system. */
const timeout = 60_000

const stops: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

/** Starts a system, and returns a function that sends token requests. */
async function start(variables: Record<string, string>) {
  const system = await startTestSystem(variables)
  stops.push(system.stop)
  const client = await system.register()
  return {
    system,
    ask: () => system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) }),
  }
}

test('counts in the gateway without Redis, and returns the limit headers', { timeout }, async () => {
  const { system, ask } = await start({ OAUTH2_RATE_LIMIT_ENABLED: 'true', OAUTH2_RATE_LIMIT_TOKEN: '3' })
  const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429])
  const left: number[] = []
  for (const path of ['/nowhere', '/oauth/token', '/health', '/swagger-ui/static/nothing']) {
    // No proxy is trusted here, so forwarded addresses make no difference.
    const forged = { 'x-forwarded-for': `192.0.2.${left.length}` }
    const { headers } = await system.request(path, { headers: forged })
    expect(headers.get('x-ratelimit-limit')).toBe('100')
    left.push(Number(headers.get('x-ratelimit-remaining')))
  }
  expect(left).toEqual(left.map((_, index) => (left[0] as number) - index))
  const metrics = await (await system.request('/metrics')).text()
  expect(metrics).toMatch(/oauth2_server_rate_limit_rejected_total\{[^}]*bucket="token"[^}]*\} 2/)
})

test('neither counts, nor sends limit headers, nor connects to Redis when limits are disabled', {
  timeout,
}, async () => {
  let connections = 0
  const redis = createServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(redis, 'listening')
  const { port } = redis.address() as { port: number }
  const { system, ask } = await start({
    OAUTH2_RATE_LIMIT_TOKEN: '1',
    OAUTH2_REDIS_URL: `redis://127.0.0.1:${port}`,
  })
  for (let index = 0; index < 5; index += 1) {
    const answer = await ask()
    expect(answer.status).toBe(200)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  }
  expect(await (await system.request('/metrics')).text()).not.toContain('rate_limit')
  expect(connections).toBe(0)
  redis.close()
})

test('starts without Redis, and logs that once', { timeout }, async () => {
  const { system, ask } = await start({
    OAUTH2_RATE_LIMIT_ENABLED: 'true',
    OAUTH2_REDIS_URL: 'redis://127.0.0.1:1',
  })
  const answer = await ask()
  expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([200, '19'])
  const metrics = await (await system.request('/metrics')).text()
  expect(metrics).toMatch(/oauth2_server_rate_limit_counted_alone_total(\{[^}]*\})? [1-9]/)
  const log = readFileSync(join(system.dataDirectory, 'logs', 'gateway.log'), 'utf8')
  expect(log.match(/each gateway counts rate limits by itself/g)?.length).toBe(1)
})

test.each(['http://localhost:6379', 'redis://:the-password@localhost/x'])(
  'fails to start with one line for an invalid OAUTH2_REDIS_URL: %s',
  { timeout },
  async (url) => {
    const main = fileURLToPath(new URL('../../../services/gateway/src/main.ts', import.meta.url))
    const nowhere = '127.0.0.1:1'
    const gateway = spawn(process.execPath, [main], {
      env: {
        OAUTH2_SERVER_PUBLIC_BASE_URL: 'http://localhost:1',
        OAUTH2_SERVER_PORT: '0',
        OAUTH2_SESSION_KEY: 'a session key of more than 32 bytes for tests',
        OAUTH2_TOKEN_ADDR: nowhere,
        OAUTH2_CLIENT_REGISTRY_ADDR: nowhere,
        OAUTH2_IDENTITY_ADDR: nowhere,
        OAUTH2_EVENTS_ADDR: nowhere,
        OAUTH2_REDIS_URL: url,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    gateway.stderr.on('data', (chunk) => {
      errors += chunk
    })
    const [code] = await once(gateway, 'close')
    expect([code, errors]).toEqual([
      78,
      expect.stringMatching(/^gateway: OAUTH2_REDIS_URL must be a redis:\/\/ or rediss:\/\/ URL[^\n]*\n$/),
    ])
    expect(errors).not.toMatch(/the-password|localhost/)
  },
)
