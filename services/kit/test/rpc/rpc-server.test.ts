import { setTimeout as sleep } from 'node:timers/promises'
import { IdentityServiceService as identity } from '@gatehouse/proto/identity/v1'
import { afterEach, expect, test } from 'vitest'
import { Refusal } from '../../src/errors.ts'
import { listenError, StartError } from '../../src/process/process.ts'
import { coalesce } from '../../src/rpc/coalesce.ts'
import { isCallerGone } from '../../src/rpc/current-call.ts'
import { createRpcClient, type RpcClient } from '../../src/rpc/rpc-client.ts'
import { type Handlers, implement, type RpcServer, startRpcServer } from '../../src/rpc/rpc-server.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const open: { close(withinMs: number): unknown }[] = []
const service = { authenticateUser: identity.authenticateUser }
const noBrowser = { ipAddress: '', knownBrowser: false, clientId: '' }

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close(0)
})

async function start(authenticateUser: Handlers<typeof service>['authenticateUser']) {
  const { log, lines } = recordedLog()
  const registry = new Registry()
  const options = { host: '127.0.0.1', port: 0, actor: 'identity', log, registry }
  const server: RpcServer = await startRpcServer(
    [implement(service, { authenticateUser })],
    options,
    () => undefined,
  )
  const client: RpcClient<typeof service> = createRpcClient(service, `127.0.0.1:${server.port}`, 5_000)
  open.push(server, client)
  const call = (username: string, withinMs = 5_000) =>
    client.authenticateUser(
      { username, password: 'hunter2', ...noBrowser },
      { deadline: Date.now() + withinMs },
    )
  return { server, call, client, lines, registry }
}

/** A handler that ends when the test opens the gate. */
function gate() {
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
  const { promise: opened, resolve: letGo } = Promise.withResolvers<void>()
  const handler = async () => {
    enter()
    await opened
    return { outcome: undefined }
  }
  return { handler, entered, letGo }
}

test('a client says whether it is connected, once it is or its time is up', async () => {
  const { client } = await start(async () => ({ outcome: undefined }))
  expect(await client.connect(Date.now() + 5_000)).toBe(true)
  const alone = createRpcClient(service, '127.0.0.1:1', 5_000)
  open.push(alone)
  expect(await alone.connect(Date.now() + 300)).toBe(false)
})

test('a client connects to an address that another client has looked up long before', async () => {
  const { server, client } = await start(async () => ({ outcome: undefined }))
  expect(await client.connect(Date.now() + 5_000)).toBe(true)
  // The time for which a result of the resolver serves other channels.
  await new Promise((resolve) => setTimeout(resolve, 2_100))
  const later = createRpcClient(service, `127.0.0.1:${server.port}`, 5_000)
  open.push(later)
  expect(await later.connect(Date.now() + 3_000)).toBe(true)
})

test('a handler gets the request and the deadline, and the caller gets its answer', async () => {
  const seen: unknown[] = []
  const { client } = await start(async (request, { deadline }) => {
    seen.push(request, deadline)
    return { outcome: { $case: 'user', value: { userId: '1', username: request.username, admin: true } } }
  })
  const deadline = Date.now() + 2_000
  const request = { username: 'Ännchen', password: 'x', ...noBrowser }
  expect(await client.authenticateUser(request, { deadline })).toEqual({
    outcome: { $case: 'user', value: { userId: '1', username: 'Ännchen', admin: true } },
  })
  expect(seen[0]).toEqual(request)
  expect(Math.abs((seen[1] as number) - deadline)).toBeLessThan(500)
})

test('calls are counted by outcome, and timed', async () => {
  const { call, registry } = await start(async ({ username }) => {
    if (username === 'refused') throw new Refusal('invalid_client')
    if (username === 'broken') throw new Error('broken')
    return { outcome: undefined }
  })
  await call('fine')
  await call('fine')
  await call('refused').catch(() => undefined)
  await call('broken').catch(() => undefined)
  const text = await registry.metrics()
  const of = (outcome: string) => `{actor="identity",message="AuthenticateUser",outcome="${outcome}"}`
  expect(text).toContain(`oauth2_server_actor_messages_total${of('ok')} 2`)
  expect(text).toContain(`oauth2_server_actor_messages_total${of('invalid_client')} 1`)
  expect(text).toContain(`oauth2_server_actor_messages_total${of('server_error')} 1`)
  expect(text).toContain(
    'oauth2_server_actor_message_duration_seconds_count{actor="identity",message="AuthenticateUser"} 4',
  )
})

test('a batch whose items all failed because of the service counts as failed', async () => {
  const { log } = recordedLog()
  const registry = new Registry()
  const failed = { $case: 'failure' as const, value: { code: 'temporarily_unavailable', description: '' } }
  const getSessions = async () => ({ results: [{ outcome: failed }] })
  const batches = { getSessions: identity.getSessions }
  const options = { host: '127.0.0.1', port: 0, actor: 'identity', log, registry }
  const server = await startRpcServer([implement(batches, { getSessions })], options, () => undefined)
  const client = createRpcClient(batches, `127.0.0.1:${server.port}`, 5_000)
  open.push(server, client)
  const deadline = Date.now() + 5_000
  expect(await client.getSessions({ items: [] }, { deadline })).toMatchObject({ results: [{}] })
  expect(await registry.metrics()).toContain(
    'actor_messages_total{actor="identity",message="GetSessions",outcome="temporarily_unavailable"} 1',
  )
})

test('a metric shows the calls under way', async () => {
  const { handler, entered, letGo } = gate()
  const { call, registry } = await start(handler)
  const depth = async () =>
    /actor_mailbox_depth\{actor="identity"\} (\d+)/.exec(await registry.metrics())?.[1]
  expect(await depth()).toBe('0')
  const running = call('a')
  await entered
  expect(await depth()).toBe('1')
  letGo()
  await running
  expect(await depth()).toBe('0')
})

test('server errors are logged and a caller’s errors are not, and the log never has what the caller sent', async () => {
  const { call, lines } = await start(async ({ username }) => {
    if (username === 'broken') throw new Error('a bug')
    throw new Refusal('invalid_client')
  })
  await call('refused').catch(() => undefined)
  expect(lines).toEqual([])
  await call('broken').catch(() => undefined)
  expect(lines).toMatchObject([{ level: 50, code: 'server_error', err: { message: 'a bug' } }])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

test('closing lets a running call finish and refuses new ones', async () => {
  const { handler, entered, letGo } = gate()
  const { server, call, client } = await start(handler)
  const running = call('a')
  await entered
  let closed = false
  const closing = server.close(10_000).then(() => {
    closed = true
  })
  const late = client.authenticateUser(
    { username: 'b', password: '', ...noBrowser },
    { deadline: Date.now() + 300 },
  )
  await expect(late).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(closed).toBe(false)
  letGo()
  expect(await running).toEqual({ outcome: undefined })
  await closing
})

test('closing ends calls that do not finish in time', async () => {
  const { handler, entered } = gate()
  const { server, call } = await start(handler)
  const running = call('a').catch((error: Refusal) => error.code)
  await entered
  await server.close(100)
  expect(await running).toBe('temporarily_unavailable')
})

test('a taken port is an error that names the variable to change', async () => {
  const { server } = await start(async () => ({ outcome: undefined }))
  const { log } = recordedLog()
  const options = { host: '127.0.0.1', port: server.port, actor: 'second', log, registry: new Registry() }
  const failure = await startRpcServer([], options, () => undefined).catch((error: unknown) => error)
  const explained = listenError(failure, server.port, 'OAUTH2_GRPC_PORT')
  expect(explained).toBeInstanceOf(StartError)
  expect(explained.message).toBe(
    `Port ${server.port} is taken: stop the other program or set OAUTH2_GRPC_PORT`,
  )
})

test('a method without a handler fails the start, not a call', async () => {
  const { log } = recordedLog()
  const options = { host: '127.0.0.1', port: 0, actor: 'test', log, registry: new Registry() }
  const unfinished = implement(service, {} as Handlers<typeof service>)
  await expect(startRpcServer([unfinished], options, () => undefined)).rejects.toThrow(
    'nothing answers /gatehouse.identity.v1.IdentityService/AuthenticateUser',
  )
})

test('a handler can see whether the caller still waits', async () => {
  const cancelled: boolean[] = []
  const { call } = await start(async (_, call) => {
    cancelled.push(call.isCancelled())
    await expect.poll(call.isCancelled, { timeout: 3_000 }).toBe(true)
    cancelled.push(call.isCancelled())
    return { outcome: undefined }
  })
  await expect(call('ann', 200)).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await expect.poll(() => cancelled).toEqual([false, true])
})

test('the work of a call knows when the caller has stopped waiting, and work that calls share does not', async () => {
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
  const { promise: answers, resolve: answer } = Promise.withResolvers<boolean[]>()
  const ask = coalesce<string, boolean>({
    ...{ maxItems: 2, maxConcurrent: 1, maxQueued: 10, timeoutMs: 1_000 },
    run: async (items) => items.map(() => isCallerGone()),
  })
  const { call } = await start(async () => {
    const before = isCallerGone()
    enter()
    while (!isCallerGone()) await sleep(5)
    answer([before, isCallerGone(), await ask('shared')])
    return { outcome: undefined }
  })
  const asked = call('ann', 300)
  await entered
  await expect(asked).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(await answers).toEqual([false, true, false])
  expect(isCallerGone()).toBe(false)
})
