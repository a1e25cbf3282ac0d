import { expect, test } from 'vitest'
import { createClientCache } from '../../src/clients/client-cache.ts'
import { createSecretUses, type UsedSecret } from '../../src/clients/secret-uses.ts'
import { authenticateClient } from '../../src/clients/sender.ts'
import { anyMethod, kept, presenting, someClient } from './clients.ts'

function start() {
  let time = 1_900_000_000_000
  const reports: (readonly UsedSecret[])[] = []
  let away = false
  const client = someClient({ secrets: [kept('new'), kept('old', time + 3_600_000)] })
  const secretUses = createSecretUses(() => time)
  const cache = createClientCache({
    registry: {
      async lookup(known, uses = []) {
        if (away) throw new Error('the registry is away')
        reports.push(uses)
        return { changed: known.some(({ revision }) => revision === 0n) ? [client] : [], unknown: [] }
      },
    },
    secretUses,
    now: () => time,
    hit: () => undefined,
    miss: () => undefined,
    unreachable: () => undefined,
  })
  const deps = { ...anyMethod, findClient: cache.find, noteSecretUse: secretUses.note, now: () => time }
  return {
    reports,
    log: (clientSecret: string) => authenticateClient(presenting(clientSecret), deps),
    revalidate: cache.revalidate,
    pass(milliseconds: number) {
      time += milliseconds
    },
    setAway(is: boolean) {
      away = is
    },
    used: () => reports.flat().map(({ digest }) => Buffer.from(digest).toString('hex')),
  }
}
const hex = (secret: string) => Buffer.from(kept(secret).digest).toString('hex')

test('tells the registry which secret was used once a minute, with the poll that there is anyway', async () => {
  const { log, revalidate, pass, used, reports } = start()
  for (let second = 0; second < 59; second += 1) {
    await log('old')
    await revalidate()
    pass(1_000)
  }
  expect(used()).toEqual([hex('old')])
  // The poll of the clients, and the first look-up of the client.
  expect(reports).toHaveLength(60)
  await log('new')
  await revalidate()
  expect(used()).toEqual([hex('old'), hex('new')])
  pass(1_000)
  await log('old')
  await revalidate()
  expect(used()).toEqual([hex('old'), hex('new'), hex('old')])
})

test('says nothing of a secret that is wrong, and nothing where nobody authenticates', async () => {
  const { log, revalidate, used } = start()
  await expect(log('wrong')).rejects.toMatchObject({ code: 'invalid_client' })
  await revalidate()
  expect(used()).toEqual([])
})

test('reports again what a registry that was away did not get', async () => {
  const { log, revalidate, setAway, used } = start()
  await log('old')
  setAway(true)
  await expect(revalidate()).rejects.toThrow()
  setAway(false)
  await revalidate()
  await revalidate()
  expect(used()).toEqual([hex('old')])
})

test('remembers a bounded number of secrets', () => {
  const { note, take } = createSecretUses(() => 0)
  for (let client = 0; client < 5_000; client += 1) note(`client_${client}`, new Uint8Array(32))
  expect(take()).toHaveLength(1_000)
  expect(take()).toEqual([])
})

test('tells the registry of keys with the same poll, and again when it was away', async () => {
  const reports: (readonly UsedSecret[] | undefined)[] = []
  let away = true
  const keyUses = createSecretUses(() => 0)
  const cache = createClientCache({
    registry: {
      async lookup(_known, _uses, used) {
        if (away) throw new Error('the registry is away')
        reports.push(used)
        return { changed: [], unknown: [] }
      },
    },
    keyUses,
    now: () => 0,
    hit: () => undefined,
    miss: () => undefined,
    unreachable: () => undefined,
  })
  const use = { clientId: 'client_a', digest: new Uint8Array(32) }
  keyUses.note(use.clientId, use.digest)
  await expect(cache.revalidate()).rejects.toThrow('away')
  away = false
  await cache.revalidate()
  await cache.revalidate()
  expect(reports).toEqual([[use]])
})
