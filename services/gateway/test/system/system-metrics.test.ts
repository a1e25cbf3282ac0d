import { implement, type RpcServer, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { afterEach, expect, test } from 'vitest'
import { systemMetrics } from '../../src/system/system-metrics.ts'

const servers: RpcServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0)
})

const gauge = (value: number) => `# HELP up Up.\n# TYPE up gauge\nup ${value}\n`

async function replica(
  instance: string,
  getMetrics = async () => ({ text: gauge(2), instance, generations: [], gateways: [] }),
) {
  const { log } = recordedLog()
  const options = { host: '127.0.0.1', port: 0, actor: 'test', log, registry: new Registry() }
  const server = await startRpcServer(
    [implement(telemetry, { getMetrics, noteGateway: async () => ({}) })],
    options,
    () => undefined,
  )
  servers.push(server)
  return server.port
}

async function collect(targets: Record<string, string>) {
  const services = Object.fromEntries(
    Object.entries(targets).map(([service, target]) => [service, { target }]),
  )
  const missing: string[] = []
  const text = await systemMetrics({
    own: async () => gauge(1),
    instance: 'gateway-1',
    services,
    missing: (service) => void missing.push(service),
  })
  return { samples: text.split('\n').filter((line) => line.startsWith('up')), missing, text }
}

test('the metrics are those of the gateway and of each service, each with its name and instance', async () => {
  const [token, identity] = [await replica('token-1'), await replica('identity-1')]
  const { samples, missing, text } = await collect({
    token: `127.0.0.1:${token}`,
    identity: `dns:///127.0.0.1:${identity}`,
  })
  expect(samples.sort()).toEqual([
    'up{service="gateway",instance="gateway-1"} 1',
    'up{service="identity",instance="identity-1"} 2',
    'up{service="token",instance="token-1"} 2',
  ])
  expect(text.match(/^# TYPE/gm)).toHaveLength(1)
  expect(missing).toEqual([])
})

test('a replica that is away and a name that does not resolve are left out and logged; the others are shown', async () => {
  const port = await replica('token-1')
  const gone = await replica('gone-1')
  await servers.pop()?.close(0)
  const { samples, missing } = await collect({
    token: `127.0.0.1:${port}`,
    identity: `127.0.0.1:${gone}`,
    events: 'dns:///events.invalid:50051',
  })
  expect(samples).toHaveLength(2)
  expect(missing.sort()).toEqual(['events', 'identity'])
})

test('a replica that hangs does not keep the others from being shown', async () => {
  const port = await replica('slow-1', () => new Promise(() => undefined))
  const { samples, missing } = await collect({ token: `127.0.0.1:${port}` })
  expect([samples.length, missing]).toEqual([1, ['token']])
})
