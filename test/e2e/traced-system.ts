import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Collector, startCollector } from '@gatehouse/test/otlp'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { treeOf } from '@gatehouse/test/traces'
import { expect } from 'vitest'
import { password, registerApp } from './login-people.ts'

/** A system all of whose requests are traced. */
export type TracedSystem = {
  system: TestSystem
  /** What gets its spans. */
  collector: Collector
  /** Whatever a caller sends or gets and that must be in no span: secrets, and what is known of people. */
  secrets: string[]
  register(): Promise<RegisteredClient>
  /** Waits until a trace is these lines. */
  expectTree(traceId: string, lines: string[]): Promise<void>
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
  return {
    system,
    collector,
    secrets,
    async register() {
      const client = await registerApp(system)
      secrets.push(client.client_secret)
      return client
    },
    async expectTree(traceId, lines) {
      await expect.poll(() => treeOf(collector, traceId), { timeout: 10_000 }).toEqual(lines)
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
