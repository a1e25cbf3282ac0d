import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createAdmission } from '../../src/resilience/admission.ts'
import { errorOf, gateway, token } from '../../testing/gateway.ts'

const form = 'grant_type=client_credentials&client_id=a&client_secret=b'

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A gateway where no request waits for admission, and where the test decides when tokens are issued. */
async function start({ tokens = 100, others = 100 }) {
  const { promise, resolve } = Promise.withResolvers<typeof token>()
  const rejected = vi.fn()
  const issue = vi.fn(() => promise)
  const admission = (most: number) =>
    createAdmission({ most, mostWaiting: 0, waitMs: 250, maxDelayMs: 100, maxUnderWayMs: 500, now: Date.now })
  const backPressure = { tokens: admission(tokens), others: admission(others), rejected }
  const { send, app } = await gateway({ backPressure, tokens: { issue } })
  const begin = async (count: number) => {
    const running = Array.from({ length: count }, () => send('POST', '/oauth/token', form))
    await expect.poll(() => issue.mock.calls.length).toBe(count)
    return async () => {
      resolve(token)
      for (const answer of await Promise.all(running)) expect(answer.status).toBe(200)
    }
  }
  return { send, begin, issue, app, ...backPressure, resolve: () => resolve(token) }
}

test('excess requests get 503 with Retry-After and are counted, and later ones are admitted when there is room', async () => {
  const { send, begin, rejected } = await start({ tokens: 3 })
  const finish = await begin(3)
  for (const path of ['/oauth/token', '/oauth/introspect']) {
    const answer = await send('POST', path, form)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
    expect(answer.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' })
  }
  expect(rejected).toHaveBeenCalledTimes(2)
  await finish()
  expect((await send('POST', '/oauth/introspect', 'token=x')).status).toBe(200)
  expect(rejected).toHaveBeenCalledTimes(2)
})

test('a flood at the token endpoint leaves room for all other requests', async () => {
  const { send, begin } = await start({ tokens: 2, others: 1 })
  const finish = await begin(2)
  for (const path of ['/.well-known/openid-configuration', '/auth/login', '/auth/login']) {
    expect((await send('GET', path)).status).toBe(200)
  }
  await finish()
})

test('only health, readiness and metrics are answered whatever the load', async () => {
  const { send } = await start({ others: 0 })
  for (const path of ['/health', '/ready', '/metrics', '/health?x=1']) {
    expect((await send('GET', path)).status).toBe(200)
  }
  for (const path of ['/.well-known/openid-configuration', '/account']) {
    expect((await send('GET', path)).status).toBe(503)
  }
  // An unknown path costs nothing, so it is still answered.
  expect((await send('GET', '/health/x')).status).toBe(404)
})

test('a person gets a page', async () => {
  const { send } = await start({ others: 0 })
  const answer = await send('GET', '/auth/login', undefined, { accept: 'text/html' })
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
  expect(answer.text).toMatch(/<h1>/)
})

test('a request takes room only when its body has arrived, and until it ends even if the caller disconnects', async () => {
  const { app, tokens, issue, resolve } = await start({})
  await app.listen({ host: '127.0.0.1', port: 0 })
  ends.push(() => app.close())
  const { port } = app.server.address() as { port: number }
  const socket = connect({ host: '127.0.0.1', port })
  ends.push(() => socket.destroy())
  const head = [
    'POST /oauth/token HTTP/1.1',
    'host: localhost',
    'content-type: application/x-www-form-urlencoded',
  ]
  const arrived = once(app.server, 'request')
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${form.length}\r\n\r\n${form.slice(0, 9)}`)
  await arrived
  expect(tokens.state().underWay).toBe(0)
  socket.write(form.slice(9))
  await expect.poll(() => issue.mock.calls.length).toBe(1)
  expect(tokens.state().underWay).toBe(1)
  socket.destroy()
  const connections = () =>
    new Promise<number>((seen) => {
      app.server.getConnections((_error, count) => seen(count))
    })
  await expect.poll(connections).toBe(0)
  expect(tokens.state().underWay).toBe(1)
  resolve()
  await expect.poll(() => tokens.state().underWay).toBe(0)
})
