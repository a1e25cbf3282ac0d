import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { afterEach, expect, test } from 'vitest'
import { createHealthClient, databaseHealth } from '../src/health-client.ts'
import { createRegistry } from '../src/metrics.ts'
import { StartError } from '../src/process.ts'
import { createRpcClient } from '../src/rpc-client.ts'
import { serve } from '../src/service.ts'
import { recordedLog } from './recorded-log.ts'

const atEnd: (() => unknown)[] = []
afterEach(async () => {
  for (const step of atEnd.splice(0).reverse()) await step()
})

async function start(probeDatabase?: () => Promise<boolean>, port = 0) {
  const { log, lines } = recordedLog()
  const steps: (() => unknown)[] = []
  const context = {
    name: 'example',
    config: { OAUTH2_GRPC_HOST: '127.0.0.1', OAUTH2_GRPC_PORT: port },
    log,
    registry: createRegistry('1.2.3'),
    stopping: new AbortController().signal,
    onShutdown: (step: () => unknown) => void steps.push(step),
  }
  atEnd.push(async () => {
    for (const step of steps.reverse()) await step()
  })
  await serve(context, { implementations: [], ...(probeDatabase && { probeDatabase }) })
  const grpcPort = lines.find((line) => line.msg === 'taking calls')?.grpcPort as number
  const target = `127.0.0.1:${grpcPort}`
  const health = createHealthClient(target)
  atEnd.push(() => health.close())
  const isServing = (part: string) => health.isServing(part, Date.now() + 1_000)
  return { isServing, target, port: grpcPort, lines, steps }
}

test('a process that takes calls says that it serves; of a database that it has not, it says nothing good', async () => {
  const { isServing } = await start()
  expect(await isServing('')).toBe(true)
  expect(await isServing(databaseHealth)).toBe(false)
})

test('the health of the database follows the probe, and each change is logged once', async () => {
  let answers = false
  const { isServing, lines } = await start(async () => answers)
  expect(await isServing(databaseHealth)).toBe(false)
  // A process whose database is away still answers.
  expect(await isServing('')).toBe(true)
  answers = true
  await expect.poll(() => isServing(databaseHealth), { timeout: 3_000 }).toBe(true)
  const told = lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('the database'))
  expect(told).toEqual(['the database does not answer', 'the database answers'])
})

test('a process that cannot be asked does not serve', async () => {
  const { isServing, steps } = await start()
  for (const step of steps.splice(0).reverse()) await step()
  expect(await isServing('')).toBe(false)
})

test('the metrics can be asked for, with the name of the process', async () => {
  const { target } = await start()
  const client = createRpcClient(telemetry, target, 1_000)
  atEnd.push(() => client.close())
  const { text, instance } = await client.getMetrics({})
  expect(text).toContain('oauth2_server_build_info{version="1.2.3"')
  expect(instance).toMatch(new RegExp(`.+-${process.pid}$`))
})

test('a taken port stops the start with a line for a person', async () => {
  const { port } = await start()
  const failure = await start(undefined, port).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartError)
  expect((failure as Error).message).toContain(`Port ${port} is taken`)
})
