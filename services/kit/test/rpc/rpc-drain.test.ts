import { once } from 'node:events'
import { connect } from 'node:http2'
import { IdentityServiceService as identity } from '@gatehouse/proto/identity/v1'
import { expect, test } from 'vitest'
import { implement, startRpcServer } from '../../src/rpc/rpc-server.ts'
import { Registry } from '../../src/telemetry/metrics.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const service = { authenticateUser: identity.authenticateUser }
const headers = {
  ...{ ':method': 'POST', ':path': service.authenticateUser.path, te: 'trailers' },
  'content-type': 'application/grpc',
}
/** A gRPC message without fields, with the header of its length. */
const nothing = Buffer.alloc(5)

test('a server that closes answers the calls that are on their way, and says so before it refuses any', async () => {
  const { promise: opened, resolve: letGo } = Promise.withResolvers<void>()
  const options = { host: '127.0.0.1', port: 0, actor: 'identity', registry: new Registry() }
  const authenticateUser = async () => {
    await opened
    return { outcome: undefined }
  }
  const server = await startRpcServer(
    [implement(service, { authenticateUser })],
    { ...options, log: recordedLog().log },
    () => undefined,
  )
  const client = connect(`http://127.0.0.1:${server.port}`)
  const lastStreams: number[] = []
  client.on('goaway', (_code, lastStream) => lastStreams.push(lastStream))
  const call = client.request(headers)
  call.end(nothing)
  const trailers = once(call, 'trailers')
  call.resume()
  await once(client, 'remoteSettings')

  const closed = server.close(5_000)
  await once(client, 'goaway')
  // RFC 9113 section 6.8: no call that is on its way is lost.
  expect(lastStreams).toEqual([2 ** 31 - 1])
  const [refused] = await once(connect(`http://127.0.0.1:${server.port}`), 'error')
  expect(refused).toMatchObject({ code: 'ECONNREFUSED' })
  letGo()
  expect((await trailers)[0]).toMatchObject({ 'grpc-status': '0' })
  await closed
})
