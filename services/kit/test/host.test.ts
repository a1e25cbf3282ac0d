import { TelemetryServiceService as telemetry } from '@gatehouse/proto/telemetry/v1'
import { expect, onTestFinished, test } from 'vitest'
import { ConfigurationError, requireKnownCallers } from '../src/config/config.ts'
import { bareHost, hostAndPort, isLoopback, readHostAndPort } from '../src/host.ts'
import { startInternalServer } from '../src/process/internal-server.ts'
import { peerAt, replicasOf } from '../src/rpc/peer.ts'
import { createRpcClient } from '../src/rpc/rpc-client.ts'
import { implement, startRpcServer } from '../src/rpc/rpc-server.ts'
import { createRegistry } from '../src/telemetry/metrics.ts'
import { recordedLog } from '../testing/recorded-log.ts'

test.each([
  ['::1', '::1', '[::1]:80'],
  ['[::1]', '::1', '[::1]:80'],
  ['::', '::', '[::]:80'],
  ['fe80::1%lo', 'fe80::1%lo', '[fe80::1%lo]:80'],
  ['127.0.0.1', '127.0.0.1', '127.0.0.1:80'],
  ['token', 'token', 'token:80'],
  ['[token]', '[token]', '[token]:80'],
])('   is listened at as    and called as   ', (host, bare, together) => {
  expect([bareHost(host), hostAndPort(host, 80)]).toEqual([bare, together])
})

test.each<[text: string, found: object | undefined]>([
  ['kafka:9092', { host: 'kafka', port: 9092 }],
  ['10.0.0.1:9092', { host: '10.0.0.1', port: 9092 }],
  ['[fd00::1]:9092', { host: 'fd00::1', port: 9092 }],
  ...['kafka', 'kafka:', ':9092', '::1', '::1:9092', '[::1]', '[kafka]:9092', 'kafka:0', 'kafka:65536'].map(
    (text): [string, undefined] => [text, undefined],
  ),
  ...['kafka:9092/x', 'a:b@kafka:9092', 'kafka :9092', '[::1:9092', 'kafka:9092:9093'].map(
    (text): [string, undefined] => [text, undefined],
  ),
])('   is taken apart', (text, found) => {
  expect(readHostAndPort(text)).toEqual(found)
})

test.each([
  '127.0.0.1',
  '127.8.8.8',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  'localhost',
  'LocalHost',
])('   is this machine, where calls need no certificate', (host) => {
  expect(isLoopback(host)).toBe(true)
  requireKnownCallers({ OAUTH2_GRPC_HOST: host, OAUTH2_GRPC_PLAINTEXT: false })
})

test.each([
  '0.0.0.0',
  '::',
  '[::]',
  '::ffff:10.0.0.1',
  'fd00::1',
  '10.0.0.1',
  'localhost.example',
  '127.example',
])('   is reached by others too, so calls must be encrypted', (host) => {
  expect(isLoopback(host)).toBe(false)
  const check = () => requireKnownCallers({ OAUTH2_GRPC_HOST: host, OAUTH2_GRPC_PLAINTEXT: false })
  expect(check).toThrow(ConfigurationError)
})

test.each(['::1', '[::1]', '::', '[::]', '0.0.0.0', '127.0.0.1'])('processes listen at   ', async (host) => {
  const registry = createRegistry('1.2.3')
  const internal = await startInternalServer({ host, port: 0, registry, isReady: () => true })
  onTestFinished(() => void internal.server.close())
  const { log } = recordedLog()
  const answer = { text: 'reached', instance: '', generations: [], gateways: [] }
  const handlers = { getMetrics: async () => answer, noteGateway: async () => ({}) }
  const options = { host, port: 0, actor: 'token', log, registry: createRegistry('1.2.3') }
  const rpc = await startRpcServer([implement(telemetry, handlers)], options, () => undefined)
  onTestFinished(() => rpc.close(0))
  const callers =
    host.includes('1') && host.includes(':')
      ? ['::1']
      : host.includes(':')
        ? ['::1', '127.0.0.1']
        : ['127.0.0.1']
  for (const caller of callers) {
    const answer = await fetch(`http://${hostAndPort(caller, internal.port)}/ready`)
    expect(answer.status).toBe(200)
    for (const prefix of ['', 'dns:///', caller === '::1' ? 'ipv6:' : 'ipv4:']) {
      const target = `${prefix}${hostAndPort(caller, rpc.port)}`
      const [replica] = await replicasOf(peerAt({ certificates: undefined }, target))
      for (const peer of [peerAt({ certificates: undefined }, target), replica]) {
        if (peer === undefined) throw new Error(`${target} has no replica`)
        const client = createRpcClient(telemetry, peer, 10_000)
        expect(await client.getMetrics({}), target).toMatchObject({ text: 'reached' })
        client.close()
      }
    }
  }
})
