import { setTimeout as sleep } from 'node:timers/promises'
import { TokenServiceService as definition, type IntrospectTokensResponse } from '@gatehouse/proto/token/v1'
import { ChannelCredentials, Client, Metadata } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { Refusal } from '../../src/errors.ts'
import { implement, type RpcServer, startRpcServer } from '../../src/rpc/rpc-server.ts'
import { exchangeOverStreams, streamLifetimeMs } from '../../src/rpc/rpc-stream.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const { introspectTokens } = definition
const service = { introspectTokens }

const open: { close(withinMs: number): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close(0)
})

/** A server that answers a token with itself, never answers `hang`, and refuses `refuse`. */
async function startServer(port = 0): Promise<RpcServer> {
  const echo = implement(service, {
    async introspectTokens({ items }): Promise<IntrospectTokensResponse> {
      const token = items[0]?.token ?? ''
      if (token === 'hang') await new Promise(() => undefined)
      if (token === 'slow') await sleep(200)
      if (token === 'refuse') throw new Refusal('invalid_client', 'Not you.')
      return { results: [{ outcome: { $case: 'failure', value: { code: token, description: '' } } }] }
    },
  })
  const options = {
    host: '127.0.0.1',
    port,
    actor: 'token',
    log: recordedLog().log,
    registry: new Registry(),
  }
  const server = await startRpcServer([echo], options, () => undefined)
  open.push(server)
  return server
}

/** @param lifetimeMs by default long enough that a stream does not end on a busy machine */
function connect(port: number, lifetimeMs = 5_000) {
  const client = new Client(`127.0.0.1:${port}`, ChannelCredentials.createInsecure())
  open.push(client)
  let opened = 0
  const exchange = exchangeOverStreams(() => {
    opened += 1
    return client.makeBidiStreamRequest(
      introspectTokens.path,
      introspectTokens.requestSerialize as (value: unknown) => Buffer,
      introspectTokens.responseDeserialize,
      new Metadata(),
    )
  }, lifetimeMs)
  const ask = async (token: string, withinMs = 5_000) => {
    const request = { items: [{ token, credentials: [] }] }
    const { results } = (await exchange(request, Date.now() + withinMs)) as IntrospectTokensResponse
    const outcome = results[0]?.outcome
    return outcome?.$case === 'failure' ? outcome.value.code : undefined
  }
  return { ask, opened: () => opened }
}

test('consecutive requests share a stream', async () => {
  const { ask, opened } = connect((await startServer()).port)
  const answers: unknown[] = []
  for (const token of ['a', 'b', 'c']) answers.push(await ask(token))
  expect([answers, opened()]).toEqual([['a', 'b', 'c'], 1])
})

test('concurrent requests use one stream each, and each gets its own answer', async () => {
  const { ask, opened } = connect((await startServer()).port)
  expect(await Promise.all(['slow', 'a', 'b'].map((token) => ask(token)))).toEqual(['slow', 'a', 'b'])
  expect(await Promise.all(['c', 'd', 'e'].map((token) => ask(token)))).toEqual(['c', 'd', 'e'])
  expect(opened()).toBe(3)
})

test('a stream takes no more requests after its lifetime, so that the balancer chooses again', async () => {
  const { ask, opened } = connect((await startServer()).port, streamLifetimeMs)
  await ask('a')
  await sleep(streamLifetimeMs + 100)
  expect([await ask('b'), opened()]).toEqual(['b', 2])
})

test('a stream takes at most twenty requests, so that a slow replica gets no fewer than the others', async () => {
  const { ask, opened } = connect((await startServer()).port)
  for (let asked = 0; asked < 40; asked += 1) expect(await ask('a')).toBe('a')
  expect(opened()).toBe(2)
  expect([await ask('b'), opened()]).toEqual(['b', 3])
})

test('a request is answered even if the lifetime of its stream ends while it is under way', async () => {
  const { ask } = connect((await startServer()).port, streamLifetimeMs)
  await ask('a')
  await sleep(streamLifetimeMs - 100)
  expect(await ask('slow')).toBe('slow')
  expect(await ask('b')).toBe('b')
})

test('a refusal fails only its own request, with its code and description', async () => {
  const { ask } = connect((await startServer()).port)
  const [refused, answered] = await Promise.allSettled([ask('refuse'), ask('slow')])
  expect(refused).toMatchObject({ reason: { code: 'invalid_client', description: 'Not you.' } })
  expect(answered).toMatchObject({ value: 'slow' })
  expect(await ask('a')).toBe('a')
})

test('a request without an answer ends at its deadline, and the next one is served', async () => {
  const { ask } = connect((await startServer()).port)
  const begin = performance.now()
  await expect(ask('hang', 200)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  // Without its deadline, the call would have the client's, of 5 s.
  expect(performance.now() - begin).toBeLessThan(4_500)
  expect(await ask('a')).toBe('a')
})

test('a request whose deadline has already passed, as after a suspension, is rejected without a warning', async () => {
  const { ask } = connect((await startServer()).port)
  const warnings: Error[] = []
  const noted = (warning: Error) => void warnings.push(warning)
  process.on('warning', noted)
  await expect(ask('hang', -1_000)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await sleep(0)
  process.off('warning', noted)
  expect(warnings).toEqual([])
})

test('a server that stops waits for idle streams no longer than their lifetime', async () => {
  const server = await startServer()
  const { ask } = connect(server.port, streamLifetimeMs)
  await ask('a')
  const begin = performance.now()
  await server.close(10_000)
  expect(performance.now() - begin).toBeLessThan(9_000)
})

test('requests under way fail when their server stops, and later ones succeed when it is back', async () => {
  const server = await startServer()
  const { ask } = connect(server.port)
  await ask('a')
  const underWay = ask('hang')
  const failed = expect(underWay).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await server.close(0)
  await failed
  await expect(ask('a')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await startServer(server.port)
  await expect.poll(() => ask('a').catch(() => undefined), { timeout: 5_000 }).toBe('a')
})
