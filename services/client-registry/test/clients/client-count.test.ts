import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { expect, test } from 'vitest'
import { createClientCount } from '../../src/clients/client-count.ts'
import { clientRegistryMetrics } from '../../src/metrics.ts'

function start() {
  const registry = new Registry()
  const state = { elected: false, clients: 3 }
  const count = createClientCount({
    isElected: async () => state.elected,
    countClients: async () => state.clients,
    setTotal: clientRegistryMetrics(registry).setTotal,
  })
  const samples = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('oauth2_server_oauth_clients_total'))
  return { state, count, samples, registry }
}

test('only the elected replica reports the number of clients', async () => {
  const { state, count, samples } = start()
  expect(await samples()).toEqual([])
  await count()
  expect(await samples()).toEqual([])
  state.elected = true
  await count()
  expect(await samples()).toEqual(['oauth2_server_oauth_clients_total 3'])
  state.clients = 4
  await count()
  expect(await samples()).toEqual(['oauth2_server_oauth_clients_total 4'])
})

test('a replica that loses the election withdraws its number', async () => {
  const { state, count, samples } = start()
  state.elected = true
  await count()
  state.elected = false
  await count()
  expect(await samples()).toEqual([])
})

test('the number of clients is a gauge, whatever its name', async () => {
  const { registry } = start()
  expect(await registry.metrics()).toContain('# TYPE oauth2_server_oauth_clients_total gauge\n')
})
