import { generateKeyPairSync } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { expect, test } from 'vitest'
import { lookUpClients } from '../../src/clients/client-lookup.ts'
import { createDocumentRefresh } from '../../src/documents/document-refresh.ts'
import { useReplicas } from '../registry.ts'
import { documentClients } from './document-clients.ts'

const shared = useReplicas()
const someDocument = documentClients(shared)

const someKey = () => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
})

/** A client with a document and a key, and the look-up of a token service that uses it. */
async function used(changes: Record<string, unknown>) {
  const made = someDocument(changes)
  await made.read()
  const { state, reading, clientId } = made
  const { log, lines } = recordedLog()
  const refreshDocuments = createDocumentRefresh({ read: reading(), monotonicNow: () => state.now, log })
  const lookUp = () =>
    lookUpClients([clientId], {
      store: shared.replica().store,
      documentsEnabled: true,
      noteUse: async () => undefined,
      ...{ noteSecretUse: () => undefined, noteKeyUse: () => undefined },
      refreshDocuments,
      log,
    })
  return { ...made, lookUp, lines }
}

const withKeys = (...keys: object[]) => ({
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys },
})

test('a key that a document no longer has ends while its client is in use, without a login', async () => {
  const [old, current] = [someKey(), someKey()]
  const { state, lookUp, expire, find } = await used(withKeys(old))
  const revision = (await find())?.revision
  state.document = { ...state.document, ...withKeys(current) }
  await lookUp()
  // It is fresh: its server said for how long.
  await expect.poll(() => state.fetches).toBe(1)
  await expire()
  state.now += 30_000
  await lookUp()
  await expect.poll(async () => (await find())?.metadata.jwks).toEqual({ keys: [current] })
  expect((await find())?.revision).not.toBe(revision)
})

test('a client that is used all the time asks for its document rarely', async () => {
  const { state, lookUp, expire } = await used(withKeys(someKey()))
  await expire()
  state.headers = { 'cache-control': 'no-store' }
  for (let use = 0; use < 20; use += 1) await lookUp()
  await expect.poll(() => state.fetches).toBe(2)
  state.now += 29_999
  await lookUp()
  expect(state.fetches).toBe(2)
})

test('a document that cannot be read is told in the log, and its client goes on', async () => {
  const { state, lookUp, expire, find, lines } = await used(withKeys(someKey()))
  await expire()
  state.failure = new Error('no document')
  await lookUp()
  await expect
    .poll(() => lines.map(({ msg }) => msg))
    .toContain('the document of a client in use cannot be read again')
  expect(await find()).toBeDefined()
})

test('public clients with a document are read by their authorization requests alone', async () => {
  const { state, lookUp, expire } = await used({})
  await expire()
  await lookUp()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(state.fetches).toBe(1)
})
