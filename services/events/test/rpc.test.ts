import { Registry } from '@gatehouse/kit/metrics'
import { createRpcClient } from '@gatehouse/kit/rpc-client'
import { startRpcServer } from '@gatehouse/kit/rpc-server'
import { EventsServiceService as events } from '@gatehouse/proto/events/v1'
import { expect, test } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { eventsRpcs } from '../src/rpc.ts'

test('eventing is off, and there are no plugins', async () => {
  const options = {
    host: '127.0.0.1',
    port: 0,
    actor: 'events',
    log: recordedLog().log,
    registry: new Registry(),
  }
  const server = await startRpcServer([eventsRpcs()], options, () => undefined)
  const client = createRpcClient(events, `127.0.0.1:${server.port}`, 5_000)
  expect(await client.getEventHealth({})).toEqual({ enabled: false, plugins: [] })
  client.close()
  await server.close(0)
})
