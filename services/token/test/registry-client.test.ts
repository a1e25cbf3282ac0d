import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@gatehouse/kit/errors'
import { expect, test } from 'vitest'
import { clientRegistryOver } from '../src/registry-client.ts'

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
