import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addressRule } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import type { KeySet } from '@gatehouse/proto/client-columns'
import type { Client } from '../../../src/clients/client-authentication.ts'
import { createClientKeys } from '../../../src/clients/public-keys/client-keys.ts'
import { createFetchedKeys } from '../../../src/clients/public-keys/fetched-keys.ts'
import { createKeySetReading } from '../../../src/clients/public-keys/key-set-reading.ts'
import { authenticateClient } from '../../../src/clients/sender.ts'
import { assertionOf, type ClientKey, keyedClient, presentingAssertion } from '../assertions/signed.ts'
import { anyMethod, findAmong } from '../clients.ts'

/** The server of a client that publishes its keys, and what this server has of them. */
export async function startKeyServer({ timeoutMs = 3_000 } = {}) {
  const state = {
    keys: { keys: [] } as KeySet,
    headers: {} as Record<string, string>,
    /** How it answers; undefined: with its keys. */
    answer: undefined as RequestListener | undefined,
    asked: 0,
    time: 1_000_000,
  }
  const server = createServer((request, response) => {
    state.asked += 1
    if (state.answer) return state.answer(request, response)
    response.writeHead(200, { 'content-type': 'application/json', ...state.headers })
    response.end(JSON.stringify(state.keys))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const uri = `http://127.0.0.1:${port}/jwks`
  const fetcher = createFetcher({ rule: addressRule('127.0.0.0/8'), timeoutMs })
  const { log, lines } = recordedLog()
  const read = createKeySetReading({ fetcher, log })
  const keys = createClientKeys(createFetchedKeys({ read, monotonicNow: () => state.time }))
  const client = (changes: Partial<Client> = {}) =>
    keyedClient([], {
      ...changes,
      metadata: { jwks_uri: uri, ...changes.metadata, jwks: undefined } as never,
    })

  const judge = (key: ClientKey, from: Client, header: object, mayWait: boolean) => {
    const presented = presentingAssertion(
      assertionOf(key, { header, clientId: from.clientId }),
      from.clientId,
    )
    const deps = { ...anyMethod, keys, findClient: findAmong([from]), now: Date.now }
    return authenticateClient({ ...presented, mayWait }, deps).then(
      () => 'valid',
      (error) => error.failed?.reason ?? error.code ?? error.constructor.name,
    )
  }
  return {
    ...{ state, uri, lines, client },
    /** The result of an assertion by a key, of a request that may wait. */
    judged: (key: ClientKey, from = client(), header: object = {}) => judge(key, from, header, true),
    /** The same of a request that may not wait. */
    judgedAtOnce: (key: ClientKey, from = client(), header: object = {}) => judge(key, from, header, false),
    pass(seconds: number) {
      state.time += seconds * 1_000
    },
    close() {
      fetcher.close()
      server.close().closeAllConnections()
    },
  }
}
