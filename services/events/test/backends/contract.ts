import { ConfigurationError } from '@gatehouse/kit/config/config'
import { loadConfig } from '@gatehouse/kit/config/load-config'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type TProperties, Type } from '@gatehouse/proto/typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Backend,
  type BackendKind,
  deliveredOf,
  type OutgoingEvent,
} from '../../src/envelopes/backend.ts'
import { someEvents } from './some-events.ts'

/** A real server of an engine, on its own port, whose data survive a kill. */
export type Engine = {
  /** Starts it, and resolves when it accepts clients. Does nothing when it already runs. */
  start(): Promise<void>
  /** Kills it as `kill -9` does. */
  kill(): Promise<void>
  /** Makes it stop answering; its connections stay open. */
  suspend(): void
  resume(): void
  /** Every message so far, in the engine's order, read with the engine's own client. */
  received(): Promise<ReceivedMessage[]>
  /** Stops it and its clients, and deletes its data. */
  close(): Promise<void>
}

/** A message as a consumer sees it. */
export type ReceivedMessage = {
  /** The engine's headers with their prefixes, decoded as in the CloudEvents binding. */
  headers: Readonly<Record<string, string>>
  contentType: string | undefined
  body: string
}

/** An engine under test. */
export type EngineUnderTest<Variables extends TProperties> = {
  kind: BackendKind<Variables>
  /** Prepares a server without starting it. */
  prepare(): Promise<Engine>
  /** The variables that lead to the server; called after `prepare`. */
  environment(): Record<string, string>
  /** The password in the variables, which no log line may contain. */
  secret?: string
  /** The name of the header that carries an attribute. */
  header(attribute: string): string
  /** Adds the engine's own tests. */
  also?(tools: EngineTools): void
}

/** The tools for an engine's own tests. */
export type EngineTools = {
  /**
   * Starts the server, opens a backend, delivers the events and closes the backend.
   * @returns the ids of the events that were refused
   */
  deliver(events: readonly OutgoingEvent[], environment?: Record<string, string>): Promise<string[]>
  /** Starts the server and opens a backend that cannot deliver to it; gives the reason in the log. */
  reasonOfFailure(environment: Record<string, string>): Promise<unknown>
}

/** How long each step may take, in milliseconds. */
const patience = 40_000
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Tests that a backend keeps the contract, on the engine's real server. */
export function backendContract<Variables extends TProperties>(subject: EngineUnderTest<Variables>): void {
  const { kind, header, secret } = subject
  describe(`the backend ${kind.name}`, { timeout: 90_000 }, () => {
    let engine: Engine
    beforeAll(async () => {
      engine = await subject.prepare()
    })
    afterAll(() => engine?.close())

    const open = (environment?: Record<string, string>) => {
      const { log, lines } = recordedLog()
      const refused: string[] = []
      const config = loadConfig(Type.Object(kind.variables), { ...subject.environment(), ...environment })
      const ring = { push: () => undefined }
      const backend = kind.open(config as never, {
        ...{ log, issuer: 'https://issuer.example', ring },
        refused: (event) => refused.push(event.envelope.event.id),
        attempted: () => undefined,
      })
      return { backend, lines, refused }
    }
    const receivedOf = async (events: readonly OutgoingEvent[]) => {
      const bodies = new Set(events.map(({ json }) => json))
      return (await engine.received()).filter(({ body }) => bodies.has(body))
    }

    test('is unhealthy and logs it once while its server is down at the start, and is healthy once the server is up', async () => {
      const { backend, lines } = open()
      const events = someEvents(3)
      await expect(backend.deliver(events, AbortSignal.timeout(500))).rejects.toThrow()
      expect(backend.isHealthy()).toBe(false)
      await until(() => lines.length > 0)
      // Time for several attempts.
      await pause(1_000)
      expect(lines).toMatchObject([{ level: 40 }])
      expect(backend.isHealthy()).toBe(false)

      await engine.start()
      await until(() => backend.isHealthy())
      await deliverAll(backend, events)
      expect(await receivedOf(events)).toHaveLength(3)
      expect(lines).toMatchObject([{ level: 40 }, { level: 30 }])
      if (secret !== undefined) expect(JSON.stringify(lines)).not.toContain(secret)
      await backend.close()
    })

    test('delivers every event once, in order, with its attributes, its data and its trace', async () => {
      await engine.start()
      const { backend, lines, refused } = open()
      await until(() => backend.isHealthy())
      const events = someEvents(1_000)
      expect(await backend.deliver(events.slice(0, 1), AbortSignal.timeout(patience))).toBe(1)
      expect(await receivedOf(events)).toHaveLength(1)
      await deliverAll(backend, events.slice(1))

      const received = await receivedOf(events)
      expect(received.map(({ body }) => body)).toEqual(events.map(({ json }) => json))
      for (const [index, { attributes }] of events.entries()) {
        const { headers, contentType } = received[index] as ReceivedMessage
        for (const [name, value] of Object.entries(attributes)) {
          if (name !== 'datacontenttype') expect(headers[header(name)]).toBe(value)
        }
        expect(contentType).toBe('application/json')
        expect(headers.traceparent).toBe(attributes.traceparent)
        expect(headers.tracestate).toBe(attributes.tracestate)
      }
      expect({ lines, refused }).toEqual({ lines: [], refused: [] })
      await backend.close()
    })

    test('stops waiting for a server that hangs, and delivers once the server continues', async () => {
      await engine.start()
      const { backend } = open()
      await until(() => backend.isHealthy())
      const events = someEvents(20)
      engine.suspend()
      try {
        // A thread on another processor runs on for a moment.
        await pause(100)
        await expect(backend.deliver(events, AbortSignal.timeout(300))).rejects.toThrow()
        expect(backend.isHealthy()).toBe(false)
      } finally {
        engine.resume()
      }
      await deliverAll(backend, events)
      expect(withoutRepeats(await receivedOf(events))).toEqual(events.map(({ json }) => json))
      expect(backend.isHealthy()).toBe(true)
      await backend.close()
    })

    test('delivers everything in order although its server is killed and restarted under load', async () => {
      await engine.start()
      const { backend, lines } = open()
      await until(() => backend.isHealthy())
      const events = someEvents(2_000)
      let delivered = 0
      const load = deliverAll(backend, events, 20, (count) => {
        delivered += count
      })
      const interruption = async () => {
        await until(() => delivered >= 200)
        await engine.kill()
        expect(delivered).toBeLessThan(events.length)
        await until(() => !backend.isHealthy())
        await engine.start()
      }
      await Promise.all([load, interruption()])
      expect(backend.isHealthy()).toBe(true)
      expect(withoutRepeats(await receivedOf(events))).toEqual(events.map(({ json }) => json))
      expect(lines).toMatchObject([{ level: 40 }, { level: 30 }])
      if (secret !== undefined) expect(JSON.stringify(lines)).not.toContain(secret)
      await backend.close()
    })

    subject.also?.({
      async deliver(events, environment) {
        await engine.start()
        const { backend, refused } = open(environment)
        await until(() => backend.isHealthy())
        await deliverAll(backend, events)
        await backend.close()
        return refused
      },
      async reasonOfFailure(environment) {
        await engine.start()
        const { backend, lines } = open(environment)
        await until(() => lines.length > 0)
        await pause(500)
        expect(lines).toHaveLength(1)
        expect(backend.isHealthy()).toBe(false)
        await backend.close()
        return lines[0]?.reason
      },
    })

    test('cannot be opened without the variables that lead to its server', () => {
      const config = loadConfig(Type.Object(kind.variables), {})
      const [name] = Object.keys(kind.variables)
      const deps = {
        log: recordedLog().log,
        issuer: '',
        ring: { push: () => undefined },
        refused: () => undefined,
        attempted: () => undefined,
      }
      expect(() => kind.open(config as never, deps)).toThrow(ConfigurationError)
      expect(() => kind.open(config as never, deps)).toThrow(`${name} must be set`)
    })

    test('leaves no connection and no timer when it is closed, whether its server is up or down', async () => {
      await engine.start()
      const before = await fewestResources()
      const connected = open().backend
      await until(() => connected.isHealthy())
      expect(openResources()).toBeGreaterThan(before)
      await connected.close()
      await until(() => openResources() <= before)
      await engine.kill()
      const waiting = open()
      await until(() => waiting.lines.length > 0)
      await waiting.backend.close()
      await until(() => openResources() <= before)
      await pause(200)
      expect(openResources()).toBeLessThanOrEqual(before)
    })
  })
}

/** Delivers as the service does: after a failure, again from the first event that may not have arrived. */
async function deliverAll(
  backend: Backend,
  events: readonly OutgoingEvent[],
  atOnce = 500,
  delivered?: (count: number) => void,
) {
  const deadline = Date.now() + patience
  for (let next = 0; next < events.length; ) {
    try {
      const batch = events.slice(next, next + atOnce)
      const answer = await backend.deliver(batch, AbortSignal.timeout(2_000))
      const count = deliveredOf(answer, batch).settled.size
      expect(count).toBeGreaterThan(0)
      next += count
      delivered?.(count)
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(50)
    }
  }
}

/** The distinct bodies, in the order in which each first came. */
const withoutRepeats = (messages: readonly ReceivedMessage[]) => [
  ...new Set(messages.map(({ body }) => body)),
]

/** The number of resources that would keep a process from exiting. */
const openResources = () =>
  process.getActiveResourcesInfo().filter((name) => /^(TCP|TLS|Timeout|GetAddrInfo)/.test(name)).length

/** The number of resources that remain after those of earlier tests are closed. */
async function fewestResources(): Promise<number> {
  let fewest = openResources()
  for (let look = 0; look < 30; look += 1) {
    await pause(10)
    fewest = Math.min(fewest, openResources())
  }
  return fewest
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + patience
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${condition}`)
    await pause(10)
  }
}
