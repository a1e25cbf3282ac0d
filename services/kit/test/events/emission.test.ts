import { EventsServiceService as events, type ReportEventsRequest } from '@gatehouse/proto/events/v1'
import { afterEach, describe, expect, test } from 'vitest'
import { type Emit, openEmission } from '../../src/events/emission.ts'
import { emittedTypes } from '../../src/events/emission-variables.ts'
import type { ProcessContext } from '../../src/process/process.ts'
import { type Implementation, implement, type RpcServer, startRpcServer } from '../../src/rpc/rpc-server.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Config = Parameters<typeof openEmission>[0] extends ProcessContext<infer Values> ? Values : never

/** An events service that records its requests; while `failing`, it records a request and then fails. */
async function startReceiver(port = 0) {
  const received: ReportEventsRequest[] = []
  const state = { failing: false }
  const implementation = implement(events, {
    ...others,
    async reportEvents(request) {
      received.push(request)
      if (state.failing) throw new Error('the answer is lost')
      return {}
    },
  })
  return { received, state, server: await serve(implementation, port) }
}

const refuse = () => Promise.reject(new Error('not here'))
const others = {
  getEventHealth: refuse,
  ingestEvents: refuse,
  storeEvents: refuse,
  listEventBackends: refuse,
  listWebhookDeliveries: refuse,
  getWebhookDelivery: refuse,
  retryWebhookDelivery: refuse,
  testWebhook: refuse,
  listRecentEvents: refuse,
}

async function serve(implementation: Implementation, port: number): Promise<RpcServer> {
  const options = {
    host: '127.0.0.1',
    port,
    actor: 'events',
    log: recordedLog().log,
    registry: new Registry(),
  }
  const server = await startRpcServer([implementation], options, () => undefined)
  closing.push(() => server.close(0))
  return server
}

function open(port: number, changes: Partial<Config> = {}) {
  const { log, lines } = recordedLog()
  const registry = new Registry()
  const steps: (() => unknown)[] = []
  const emit = openEmission({
    name: 'token',
    config: {
      OAUTH2_EVENTS_ENABLED: true,
      OAUTH2_EVENTS_ADDR: `127.0.0.1:${port}`,
      OAUTH2_EVENTS_FILTER_MODE: 'allow_all',
      ...changes,
    },
    log,
    registry,
    certificates: undefined,
    stopping: new AbortController().signal,
    onShutdown: (step) => steps.push(step),
  })
  const stop = async () => {
    for (const step of steps.splice(0).reverse()) await step()
  }
  closing.push(stop)
  const dropped = async () => {
    const [line] = /^oauth2_server_events_dropped_total \d+$/m.exec(await registry.metrics()) ?? []
    return Number(line?.split(' ')[1])
  }
  return { emit, lines, stop, dropped, registry }
}

const login = (emit: Emit, userId: string) => emit('user_logout', { userId, metadata: {} })
const eventsOf = (received: ReportEventsRequest[]) => received.flatMap(({ events }) => events)
const usersOf = (received: ReportEventsRequest[]) => eventsOf(received).map(({ userId }) => userId)

test('events are sent soon, in order, with consecutive numbers', async () => {
  const { received, server } = await startReceiver()
  const { emit } = open(server.port)
  const before = Date.now()
  for (let user = 1; user <= 5_200; user += 1) login(emit, `user ${user}`)
  await expect.poll(() => usersOf(received).length).toBe(5_200)
  expect(usersOf(received)).toEqual(Array.from({ length: 5_200 }, (_, index) => `user ${index + 1}`))
  emit('client_deleted', { clientId: 'client_a', metadata: {} })
  await expect.poll(() => received.length).toBe(3)
  expect(received.map(({ firstNumber, events }) => [firstNumber, events.length])).toEqual([
    [1, 5_000],
    [5_001, 200],
    [5_201, 1],
  ])
  expect(new Set(received.map(({ emitter }) => emitter)).size).toBe(1)
  expect(received[0]?.emitter).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-0{12}$/)
  const last = received[2]
  expect(last).toMatchObject({ producer: 'token' })
  const after = expect.toSatisfy((time: number) => time >= before && time <= Date.now())
  expect(last?.events).toEqual([
    {
      ...{ eventType: 'client_deleted', timeMs: after, clientId: 'client_a', metadata: '{}' },
    },
  ])
})

test('events that got no answer are sent again with the same numbers before later ones', async () => {
  const { received, state, server } = await startReceiver()
  const { emit, lines } = open(server.port)
  state.failing = true
  login(emit, 'ann')
  await expect.poll(() => received.length).toBeGreaterThan(1)
  state.failing = false
  login(emit, 'bob')
  await expect.poll(() => usersOf(received).at(-1)).toBe('bob')
  expect(received.filter(({ firstNumber }) => firstNumber === 1).length).toBeGreaterThan(1)
  expect(usersOf(received).filter((user) => user === 'bob')).toHaveLength(1)
  expect(lines.filter(({ level }) => level === 40)).toHaveLength(1)
})

test('while the events service is away events wait, up to the limit; others are dropped and counted', async () => {
  const first = await startReceiver()
  const { port } = first.server
  await first.server.close(0)
  const { emit, dropped, lines } = open(port)
  for (let user = 0; user < 20_005; user += 1) login(emit, `${user}`)
  expect(await dropped()).toBe(5)
  const { received } = await startReceiver(port)
  await expect.poll(() => usersOf(received).length, { timeout: 15_000 }).toBe(20_000)
  expect(usersOf(received).at(-1)).toBe('19999')
  await expect
    .poll(() => lines.filter(({ msg }) => msg === 'events were dropped'))
    .toMatchObject([{ events: 5 }])
})

test('an event says what its metadata was when it happened', async () => {
  const { received, server } = await startReceiver()
  const { emit } = open(server.port)
  const metadata = { token_id: 'one', grant_type: 'password', scope: '' }
  emit('token_created', { clientId: 'client_a', metadata })
  metadata.token_id = 'another'
  const [event] = await expect
    .poll(() => eventsOf(received))
    .toHaveLength(1)
    .then(() => eventsOf(received))
  expect(JSON.parse(event?.metadata ?? '')).toEqual({ ...metadata, token_id: 'one' })
})

test('what is no text, whatever its type says, holds up neither its caller nor other events', async () => {
  const { received, server } = await startReceiver()
  const { emit } = open(server.port)
  login(emit, 'ann')
  const wrong = { kind: null, id: 7, more: { a: [undefined] } } as unknown as { kind: string; id: string }
  emit('token_revoked', { clientId: null as unknown as string, metadata: wrong })
  emit('token_revoked', { clientId: 'client_a', metadata: null as unknown as { kind: string; id: string } })
  login(emit, 'bob')
  await expect.poll(() => usersOf(received)).toEqual(['ann', undefined, undefined, 'bob'])
})

test('waiting events are sent when the process ends', async () => {
  const { received, server } = await startReceiver()
  const { emit, stop } = open(server.port)
  login(emit, 'ann')
  await stop()
  expect(usersOf(received)).toEqual(['ann'])
})

test('a process that ends does not wait for an events service that is away', async () => {
  const { server } = await startReceiver()
  await server.close(0)
  const { emit, stop, lines } = open(server.port)
  login(emit, 'ann')
  await stop()
  expect(lines.at(-1)).toMatchObject({ msg: 'the last events could not be sent', events: 1 })
})

test('nothing is sent or counted when events are off', async () => {
  const { received, server } = await startReceiver()
  const { emit, registry } = open(server.port, { OAUTH2_EVENTS_ENABLED: false })
  login(emit, 'ann')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(received).toEqual([])
  expect(await registry.metrics()).not.toContain('events_dropped')
})

describe('the filter', () => {
  const types = (OAUTH2_EVENTS_FILTER_MODE: 'allow_all' | 'include' | 'exclude', text?: string) =>
    emittedTypes({ OAUTH2_EVENTS_FILTER_MODE, OAUTH2_EVENTS_TYPES: text })

  test('lets through all types, only the named ones, or all but the named ones', () => {
    const all = types('allow_all', 'user_logout')
    expect(all.size).toBeGreaterThan(15)
    expect([...types('include', ' user_logout, token_created ,')].toSorted()).toEqual([
      'token_created',
      'user_logout',
    ])
    expect([...types('exclude', 'user_logout')]).toEqual([...all].filter((type) => type !== 'user_logout'))
  })

  test('lists the known types if it names an unknown one', () => {
    expect(() => types('include', 'user_logout,user_login')).toThrow(
      /^OAUTH2_EVENTS_TYPES names "user_login", which is not an event type; the types are .*token_created.*user_logout/,
    )
    expect(() => types('allow_all', 'constructor')).toThrow('names "constructor"')
  })

  test('is refused if its mode needs types and none are named', () => {
    expect(() => types('include')).toThrow('OAUTH2_EVENTS_TYPES must name event types')
    expect(() => types('exclude', ' , ')).toThrow('OAUTH2_EVENTS_TYPES must name event types')
  })

  test('holds back the events of excluded types', async () => {
    const { received, server } = await startReceiver()
    const { emit } = open(server.port, {
      OAUTH2_EVENTS_FILTER_MODE: 'exclude',
      OAUTH2_EVENTS_TYPES: 'user_logout',
    })
    login(emit, 'ann')
    emit('client_deleted', { clientId: 'client_a', metadata: {} })
    await expect.poll(() => received.length).toBe(1)
    expect(eventsOf(received).map(({ eventType }) => eventType)).toEqual(['client_deleted'])
  })
})
