import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { type Collector, startCollector } from '@gatehouse/test/servers/otlp'
import { afterAll, expect, test } from 'vitest'

const open: { close(): unknown }[] = []
afterAll(async () => {
  for (const one of open) await one.close()
})

async function collect(status?: number): Promise<Collector> {
  const collector = await startCollector(status ? { status } : {})
  open.push(collector)
  return collector
}

function start(variables: Record<string, string>) {
  const child = fork(new URL('../fixtures/traced-process.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { PATH: process.env.PATH, ...variables },
  })
  open.push({ close: () => child.kill('SIGKILL') })
  const { stdout } = child
  if (!stdout) return expect.unreachable('there is a pipe')
  let written = ''
  stdout.on('data', (data) => {
    written += data
  })
  const [output, exited] = [text(stdout), once(child, 'exit')]
  return {
    ready: once(child, 'message'),
    hasWritten: (what: string) => expect.poll(() => written, { timeout: 10_000 }).toContain(what),
    /** @returns the log */
    async end() {
      child.kill('SIGTERM')
      const [code] = await exited
      expect(code).toBe(0)
      const lines = (await output).trim().split('\n')
      const log = lines.map((line) => JSON.parse(line) as { msg: string; level: number; reason?: string })
      return { log }
    },
  }
}

const complaint = 'the trace collector takes no spans: they are dropped'

test('spans made during the shutdown are sent before the process ends', async () => {
  const collector = await collect()
  const started = start({ OAUTH2_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '60000' })
  await started.ready
  expect(collector.spans).toEqual([])
  const { log } = await started.end()
  expect(collector.spans.map(({ name }) => name)).toContain('GET /at-the-end')
  expect(log.filter(({ level }) => level > 30)).toEqual([])
})

test('an unreachable collector is logged once, and its return is logged too', async () => {
  const place = await collect()
  await place.close()
  const started = start({
    OAUTH2_OTLP_ENDPOINT: place.url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    // By default an export is retried for 10 s.
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
  })
  await started.ready
  await started.hasWritten(complaint)
  const collector = await startCollector({ port: Number(new URL(place.url).port) })
  open.push(collector)
  await started.hasWritten('the trace collector takes spans again')
  const { log } = await started.end()
  expect(log.filter(({ msg }) => msg === complaint)).toEqual([expect.objectContaining({ level: 40 })])
  expect(collector.spans.length).toBeGreaterThan(0)
})

test('a collector that refuses spans is logged once, and nothing of its answers is logged', async () => {
  const collector = await collect(400)
  const started = start({
    OAUTH2_OTLP_ENDPOINT: `${collector.url.replace('//', '//user:a-password@')}/a-path`,
    OTEL_BSP_SCHEDULE_DELAY: '20',
  })
  await started.ready
  await started.hasWritten(complaint)
  await expect.poll(() => collector.refused, { timeout: 10_000 }).toBeGreaterThan(3)
  const { log } = await started.end()
  expect(log.filter(({ msg }) => msg === complaint)).toHaveLength(1)
  expect(JSON.stringify(log)).not.toMatch(/a-password|a-path|no thanks/)
})

test('a collector that accepts a connection and never answers does not delay the end of the process', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  open.push(server)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const connected = once(server, 'connection')
  const started = start({ OAUTH2_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_BSP_SCHEDULE_DELAY: '20' })
  await connected
  // A process that hangs is ended by force after 8 s, with another exit code.
  await started.end()
})

test('spans that are not sampled are not sent', async () => {
  const collector = await collect()
  const started = start({ OAUTH2_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER: 'always_off' })
  await started.ready
  await started.end()
  expect(collector.payloads).toEqual([])
})
