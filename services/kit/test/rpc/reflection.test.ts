import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { type ClientDuplexStream, credentials, loadPackageDefinition } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { afterEach, expect, test } from 'vitest'
import { serve } from '../../src/process/service.ts'
import { createRpcClient } from '../../src/rpc/rpc-client.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const atEnd: (() => unknown)[] = []
afterEach(async () => {
  for (const step of atEnd.splice(0).reverse()) await step()
})

async function start(reflection: boolean): Promise<string> {
  const { log, lines } = recordedLog()
  const config = { OAUTH2_GRPC_HOST: '127.0.0.1', OAUTH2_GRPC_PORT: 0, OAUTH2_GRPC_PLAINTEXT: false }
  await serve(
    {
      ...{ name: 'example', log, registry: new Registry(), certificates: undefined },
      config: { ...config, OAUTH2_GRPC_REFLECTION: reflection },
      stopping: new AbortController().signal,
      onShutdown: (step: () => unknown) => void atEnd.push(step),
    },
    { implementations: [] },
  )
  return `127.0.0.1:${lines.find((line) => line.msg === 'taking calls')?.grpcPort}`
}

type Question = { listServices: string } | { fileContainingSymbol: string }
type Answer = {
  listServicesResponse?: { service: { name: string }[] }
  fileDescriptorResponse?: { fileDescriptorProto: Buffer[] }
  errorResponse?: { errorCode: number }
}

const protos = join(
  dirname(createRequire(import.meta.url).resolve('@grpc/reflection')),
  '../proto/grpc/reflection',
)

/** Asks in a version of the protocol. @throws the gRPC error */
async function ask(target: string, version: 'v1' | 'v1alpha', question: Question): Promise<Answer> {
  const path = join(protos, version, 'reflection.proto')
  // Both are made of the .proto file when the test runs, so no types are known.
  const { grpc } = loadPackageDefinition(loadSync(path)) as unknown as {
    grpc: { reflection: Record<string, { ServerReflection: typeof import('@grpc/grpc-js').Client }> }
  }
  const Client = grpc.reflection[version]?.ServerReflection ?? expect.unreachable(version)
  const client = new Client(target, credentials.createInsecure())
  const { serverReflectionInfo } = client as unknown as {
    serverReflectionInfo(): ClientDuplexStream<Question, Answer>
  }
  const call = serverReflectionInfo.call(client)
  try {
    return await new Promise<Answer>((resolve, reject) => {
      call.on('data', resolve).on('error', reject)
      call.write(question)
    })
  } finally {
    call.on('error', () => undefined).cancel()
    client.close()
  }
}

test.each(['v1', 'v1alpha'] as const)(
  'a service lists what it answers, and no more, by %s',
  async (version) => {
    const target = await start(true)
    const { listServicesResponse } = await ask(target, version, { listServices: '' })
    expect(listServicesResponse?.service.map(({ name }) => name).sort()).toEqual([
      'gatehouse.telemetry.v1.TelemetryService',
      'grpc.health.v1.Health',
    ])
  },
)

test('a service gives the messages of what it answers', async () => {
  const target = await start(true)
  const fileContainingSymbol = 'gatehouse.telemetry.v1.TelemetryService'
  const { fileDescriptorResponse } = await ask(target, 'v1', { fileContainingSymbol })
  expect(String(fileDescriptorResponse?.fileDescriptorProto[0])).toContain('GetMetricsRequest')
  const unknown = await ask(target, 'v1', { fileContainingSymbol: 'gatehouse.Nothing' })
  expect(unknown.errorResponse?.errorCode).toBe(5)
})

test('a service without reflection tells nothing, and answers its own calls', async () => {
  const target = await start(false)
  await expect(ask(target, 'v1', { listServices: '' })).rejects.toMatchObject({ code: 12 })
  const client = createRpcClient(telemetry, target, 2_000)
  atEnd.push(() => client.close())
  expect(await client.getMetrics({})).toMatchObject({ instance: expect.any(String) })
})
