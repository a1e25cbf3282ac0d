import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@gatehouse/kit/errors'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { implement, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { Client, ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import { expect, test } from 'vitest'
import { clientRegistryOver } from '../../src/other-services/registry-client.ts'

/** A registry whose calls end one after the other as given, and then without clients. */
function registry(...ends: (() => Promise<never>)[]) {
  let calls = 0
  const lookupClients = async () => {
    calls += 1
    await ends.shift()?.()
    return { changed: [], unknown: ['client_1'] }
  }
  const { lookup } = clientRegistryOver({ lookupClients })
  return { lookup: () => lookup([{ clientId: 'client_1', revision: 0n }]), calls: () => calls }
}

const lost = async () => {
  throw new Refusal('temporarily_unavailable')
}

test('a lookup that loses its replica is repeated', async () => {
  const { lookup, calls } = registry(lost)
  expect(await lookup()).toEqual({ changed: [], unknown: ['client_1'] })
  expect(calls()).toBe(2)
})

test('it is repeated only once', async () => {
  const { lookup, calls } = registry(lost, lost)
  await expect(lookup()).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  expect(calls()).toBe(2)
})

test.each<[what: string, end: () => Promise<never>]>([
  ['that takes long', () => sleep(400).then(lost)],
  [
    'that is refused',
    async () => {
      throw new Refusal('server_error')
    },
  ],
])('a lookup %s is not repeated', async (_, end) => {
  const { lookup, calls } = registry(end)
  await expect(lookup()).rejects.toThrow()
  expect(calls()).toBe(1)
})

test('secrets and keys that were used are reported apart', async () => {
  const asked: unknown[] = []
  const { lookup } = clientRegistryOver({
    async lookupClients(request) {
      asked.push(request)
      return { changed: [], unknown: [] }
    },
  })
  const use = { clientId: 'client_1', digest: Buffer.alloc(32, 7) }
  await lookup([], [use])
  await lookup([], [], [use])
  expect(asked).toEqual([
    { clients: [], usedSecrets: [use], usedKeys: undefined },
    { clients: [], usedSecrets: [], usedKeys: { keys: [use] } },
  ])
})

test('a client that is kept does not keep what the connection has received with it', async () => {
  const service = { lookupClients: ClientRegistryServiceService.lookupClients }
  const digest = Buffer.alloc(32, 7)
  const secrets = [
    { digest, expiresAt: undefined, secretId: '', createdAt: undefined, lastUsedAt: undefined },
  ]
  const client = { ...Client.decode(new Uint8Array()), clientId: 'client_1', revision: 1n, secrets }
  const implementation = implement(service, {
    lookupClients: async () => ({ changed: [client], unknown: [] }),
  })
  const options = {
    host: '127.0.0.1',
    port: 0,
    actor: 'client-registry',
    log: recordedLog().log,
    registry: new Registry(),
  }
  const server = await startRpcServer([implementation], options, () => undefined)
  const rpc = createRpcClient(service, `127.0.0.1:${server.port}`, 5_000)
  try {
    const known = [{ clientId: 'client_1', revision: 0n }]
    // The message has a part of a larger buffer.
    const [sent] = (await rpc.lookupClients({ clients: known, usedSecrets: [] })).changed
    expect(sent?.secrets[0]?.digest.buffer.byteLength).toBeGreaterThan(32)
    const [kept] = (await clientRegistryOver(rpc).lookup(known)).changed
    expect(kept?.secrets[0]?.digest).toEqual(new Uint8Array(digest))
    expect(kept?.secrets[0]?.digest.buffer.byteLength).toBe(32)
  } finally {
    rpc.close()
    await server.close(0)
  }
})
