import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { afterEach, expect, test } from 'vitest'
import { StartError } from '../../src/process/process.ts'
import { type ServiceOptions, serve } from '../../src/process/service.ts'
import { createHealthClient, databaseHealth, workHealth } from '../../src/rpc/health-client.ts'
import { createRpcClient } from '../../src/rpc/rpc-client.ts'
import { createRegistry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const atEnd: (() => unknown)[] = []
afterEach(async () => {
  for (const step of atEnd.splice(0).reverse()) await step()
})

type Started = Pick<ServiceOptions, 'probeDatabase' | 'probeWork'> & {
  port?: number
  host?: string
  plaintext?: boolean
}

async function start({ port = 0, host = '127.0.0.1', plaintext = false, ...probes }: Started = {}) {
  const { log, lines } = recordedLog()
  const steps: (() => unknown)[] = []
  const context = {
    name: 'example',
    config: {
      ...{ OAUTH2_GRPC_HOST: host, OAUTH2_GRPC_PORT: port },
      ...{ OAUTH2_GRPC_PLAINTEXT: plaintext, OAUTH2_GRPC_REFLECTION: false },
    },
    log,
    registry: createRegistry('1.2.3'),
    certificates: undefined,
    stopping: new AbortController().signal,
    onShutdown: (step: () => unknown) => void steps.push(step),
  }
  atEnd.push(async () => {
    for (const step of steps.reverse()) await step()
  })
  await serve(context, { implementations: [], ...probes })
  const grpcPort = lines.find((line) => line.msg === 'taking calls')?.grpcPort as number
  const target = `127.0.0.1:${grpcPort}`
  const health = createHealthClient(target)
  atEnd.push(() => health.close())
  const isServing = (part: string) => health.isServing(part, Date.now() + 1_000)
  return { isServing, target, port: grpcPort, lines, steps }
}

test('a running process reports that it serves and works, and that its database does not if it has none', async () => {
  const { isServing } = await start()
  expect(await isServing('')).toBe(true)
  expect(await isServing(workHealth)).toBe(true)
  expect(await isServing(databaseHealth)).toBe(false)
})

test('a process works only when the first probe of its work has said so', async () => {
  const { port, target, steps, isServing } = await start()
  for (const step of steps.splice(0).reverse()) await step()
  const probed = Promise.withResolvers<void>()
  const starting = start({ port, probeWork: () => probed.promise })
  await expect.poll(() => isServing('')).toBe(true)
  const health = createHealthClient(target)
  atEnd.push(() => health.close())
  expect(await health.isServing(workHealth, Date.now() + 1_000)).toBe(false)
  probed.resolve()
  await starting
  expect(await isServing(workHealth)).toBe(true)
})

test('the health of the database follows the probe, and each change is logged once', async () => {
  let answers = false
  const { isServing, lines } = await start({ probeDatabase: async () => answers })
  expect(await isServing(databaseHealth)).toBe(false)
  // A process whose database is away still answers.
  expect(await isServing('')).toBe(true)
  answers = true
  await expect.poll(() => isServing(databaseHealth), { timeout: 3_000 }).toBe(true)
  const states = lines.map(({ msg }) => msg).filter((msg) => msg.startsWith('the database'))
  expect(states).toEqual(['the database cannot be used', 'the database can be used'])
})

test('the health of a process that does not answer is unknown', async () => {
  const { isServing, steps } = await start()
  for (const step of steps.splice(0).reverse()) await step()
  expect(await isServing('')).toBeUndefined()
  expect(await isServing(databaseHealth)).toBeUndefined()
})

test('the telemetry service returns the metrics and the name of the process', async () => {
  const { target } = await start()
  const client = createRpcClient(telemetry, target, 1_000)
  atEnd.push(() => client.close())
  const { text, instance } = await client.getMetrics({})
  expect(text).toContain('oauth2_server_build_info{version="1.2.3"')
  expect(instance).toMatch(new RegExp(`.+-${process.pid}$`))
})

test('a taken port stops the start with a message that names the port', async () => {
  const { port } = await start()
  const failure = await start({ port }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(StartError)
  expect((failure as Error).message).toContain(`Port ${port} is taken`)
})

test('unencrypted calls from other machines are accepted only if that is configured', async () => {
  await expect(start({ host: '0.0.0.0' })).rejects.toThrow(
    'OAUTH2_GRPC_HOST is 0.0.0.0, where calls must be encrypted: set OAUTH2_GRPC_TLS_CA, OAUTH2_GRPC_TLS_CERT and OAUTH2_GRPC_TLS_KEY, or OAUTH2_GRPC_PLAINTEXT=true if nobody else is in that network',
  )
  for (const host of ['::', '192.0.2.1', '127.example.com', '1127.0.0.1'])
    await expect(start({ host })).rejects.toThrow(`OAUTH2_GRPC_HOST is ${host}, where`)
  for (const started of [{ host: '127.0.0.2' }, { host: 'localhost' }, { host: '0.0.0.0', plaintext: true }])
    expect((await start(started)).port).toBeGreaterThan(0)
})
