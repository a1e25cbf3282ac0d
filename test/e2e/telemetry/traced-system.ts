import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { linkedTraces, treeOf } from '@gatehouse/test/traces'
import { expect } from 'vitest'
import { password, registerApp } from '../logins/login-people.ts'

/** A system all of whose requests are traced. */
export type TracedSystem = {
  system: TestSystem
  /** The collector that gets its spans. */
  collector: Collector
  /** The values that a caller sends or gets and that must be in no span: secrets, and data about people. */
  secrets: string[]
  register(): Promise<RegisteredClient>
  /** Waits until a trace is these lines. */
  expectTree(traceId: string, lines: string[]): Promise<void>
  /** Waits until an item of this trace was carried by a batch of this method, in which this statement ran. */
  expectBatch(traceId: string, method: string, statement: string): Promise<void>
  /** Expects that no span has one of the secrets in it. */
  expectNoSecrets(): void
  /** The first line with a text in it that a process has logged, once it is there. */
  lineOf(service: string, text: string): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** Starts a system and a collector for its spans. */
export async function startTracedSystem(): Promise<TracedSystem> {
  const collector = await startCollector()
  const system = await startTestSystem({
    OAUTH2_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
  })
  const secrets = [password]
  const expectTree = (traceId: string, lines: string[]) =>
    expect.poll(() => treeOf(collector, traceId), { timeout: 10_000 }).toEqual(lines)
  return {
    system,
    collector,
    secrets,
    async register() {
      const client = await registerApp(system)
      secrets.push(client.client_secret)
      return client
    },
    expectTree,
    async expectBatch(traceId, method, statement) {
      const [batch = ''] = linkedTraces(collector, traceId)
      await expectTree(batch, [
        `gateway client ${method} batch`,
        `  token server ${method} batch`,
        `    token client ${statement}`,
      ])
    },
    expectNoSecrets() {
      const sent = collector.payloads.join('\n')
      const pieces = secrets.filter((secret) => secret.length > 3).map((secret) => secret.slice(0, 16))
      expect(pieces.filter((piece) => sent.includes(piece))).toEqual([])
    },
    async lineOf(service, text) {
      const file = join(system.dataDirectory, 'logs', `${service}.log`)
      const find = () =>
        readFileSync(file, 'utf8')
          .split('\n')
          .find((line) => line.includes(text))
      await expect.poll(find, { timeout: 10_000 }).toBeDefined()
      return JSON.parse(find() as string)
    },
    async stop() {
      await system.stop()
      await collector.close()
    },
  }
}
