import type { IssueTokenRequest } from '@gatehouse/proto/token/v1'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { assertionOf, clientKey, presentingAssertion } from '../clients/assertions/signed.ts'
import { startTokenRpcs, type TokenRpcServer, presented as withSecret } from './token-rpcs.ts'

let rpcs: TokenRpcServer
beforeAll(async () => {
  rpcs = await startTokenRpcs()
})
afterAll(() => rpcs?.close())
afterEach(() => {
  rpcs.lines.length = 0
  rpcs.received.failures.length = 0
})

const presented = (text: string, clientId: string, mayWait = false) => {
  const { attempt: _, ...sent } = presentingAssertion(text, clientId)
  return { credentials: [], presented: { ...sent, mayWait } }
}
const request = (sent: ReturnType<typeof withSecret>): IssueTokenRequest => ({
  ...{ ...sent, grantType: 'client_credentials', parameters: {}, resources: [], ipAddress: '192.0.2.1' },
})
const failedClients = () => rpcs.counted('oauth_failed_authentications_total\\{kind="client"\\}')

test('a client with a key gets a token, and the same call with its assertion does not', async () => {
  const item = request(presented(assertionOf(rpcs.key, { clientId: 'client_key' }), 'client_key'))
  const { results } = await rpcs.client.issue({ items: [item] })
  expect(results[0]?.outcome?.$case).toBe('token')
  const again = await rpcs.client.issue({ items: [item, request(withSecret())] })
  expect(again.results.map(({ outcome }) => outcome?.$case)).toEqual(['failure', 'token'])
  expect(rpcs.received.failures).toEqual([
    {
      ...{ clientId: 'client_key', reason: 'replayed_assertion' },
      ...{ endpoint: 'token', ipAddress: '192.0.2.1' },
    },
  ])
})

test('an item whose keys are at an address comes once more, and is neither refused nor counted', async () => {
  const before = await failedClients()
  const text = assertionOf(rpcs.key, { clientId: 'client_address' })
  const sent = presented(text, 'client_address')
  const { results } = await rpcs.client.issue({ items: [request(sent), request(withSecret())] })
  expect(results.map(({ outcome }) => outcome)).toEqual([
    { $case: 'failure', value: { code: 'keys_needed', description: '' } },
    expect.objectContaining({ $case: 'token' }),
  ])
  const introspected = await rpcs.client.introspectTokens({ items: [{ ...sent, token: 'x', ipAddress: '' }] })
  expect(introspected.results[0]?.outcome).toMatchObject({ value: { code: 'keys_needed' } })
  expect(await failedClients()).toBe(before)
  expect(rpcs.received.failures).toEqual([])
  expect(rpcs.lines).toEqual([])
  const alone = await rpcs.client.issue({ items: [request(presented(text, 'client_address', true))] })
  expect(alone.results[0]?.outcome?.$case).toBe('token')
})

test('a revocation has a call of its own, so it may wait', async () => {
  const text = assertionOf(rpcs.key, { clientId: 'client_address' })
  await rpcs.client.revokeToken({ ...presented(text, 'client_address'), token: 'x', ipAddress: '' })
})

test('nothing of an assertion is in logs or answers, and of a client that does not exist not even the name', async () => {
  const forged = assertionOf(clientKey(), { clientId: 'client_key', claims: { jti: 'hunter2' } })
  const unknown = assertionOf(clientKey(), { clientId: 'client_hunter2' })
  const { results } = await rpcs.client.issue({
    items: [request(presented(forged, 'client_key')), request(presented(unknown, 'client_hunter2'))],
  })
  const written = JSON.stringify([results, rpcs.lines, rpcs.received.failures])
  expect(written).toContain('client_key did not authenticate')
  for (const text of [...forged.split('.'), ...unknown.split('.'), 'hunter2'])
    expect(written).not.toContain(text)
})
