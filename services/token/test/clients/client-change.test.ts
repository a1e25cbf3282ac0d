import { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { expect, test } from 'vitest'
import type { Client } from '../../src/clients/client-authentication.ts'
import { ClientChanged, decideByClient } from '../../src/clients/client-change.ts'
import { findAmong, someClient } from './clients.ts'

/**
 * Decides for client_a and client_b by decisions that end so, one after the other.
 * @param changed the clients that have changed since they were looked up
 */
async function decide(
  outcomes: readonly unknown[],
  changed: readonly string[] = [],
  clients: Client[] = [someClient()],
) {
  const asked: [string, number][] = []
  const caughtUp: string[] = []
  let time = 100
  const left = [...outcomes]
  const result = await decideByClient(
    [{ clientId: 'client_a' }, { clientId: 'client_b' }],
    {
      findClient: findAmong(clients),
      now: () => time++,
      refreshClient: async (clientId, since) => {
        asked.push([clientId, since])
        return changed.includes(clientId)
      },
      clientChanges: {
        apply: async ({ clientId }) => void caughtUp.push(clientId),
        end: async () => expect.unreachable('a client was ended'),
      },
    },
    async () => {
      const outcome = left.length === 0 ? expect.unreachable('one decision too many') : left.shift()
      if (outcome instanceof Error) throw outcome
      return outcome
    },
  ).catch((error: unknown) => error)
  return { result, asked, caughtUp, decisions: outcomes.length - left.length }
}

test('decides once and asks nobody where nothing is refused', async () => {
  expect(await decide(['yes'])).toEqual({ result: 'yes', asked: [], caughtUp: [], decisions: 1 })
})

test.each(['invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_target'] as const)(
  'before it refuses by %s it asks whether a client has changed, and if so decides again',
  async (code) => {
    const refused = new Refusal(code)
    const both = [
      ['client_a', 100],
      ['client_b', 100],
    ]
    expect(await decide([refused])).toEqual({ result: refused, asked: both, caughtUp: [], decisions: 1 })
    expect(await decide([refused, 'yes'], ['client_b'])).toEqual({
      ...{ result: 'yes', asked: both, caughtUp: [], decisions: 2 },
    })
  },
)

test.each<ErrorCode>(['invalid_grant', 'invalid_request', 'temporarily_unavailable'])(
  'refuses by %s without asking, since no client decides that',
  async (code) => {
    const refused = new Refusal(code)
    expect(await decide([refused], ['client_a'])).toMatchObject({ result: refused, asked: [], decisions: 1 })
  },
)

test('passes on any other error without asking', async () => {
  const error = Object.assign(new Error('away'), { code: 'invalid_client' })
  expect(await decide([error], ['client_a'])).toMatchObject({ result: error, asked: [], decisions: 1 })
})

test('stores what the registry says of a client when the store knew of a change that it had missed', async () => {
  const changed = new ClientChanged()
  expect(changed).toMatchObject({
    code: 'temporarily_unavailable',
    detail: 'the client was changed meanwhile',
  })
  expect(await decide([changed, 'yes'])).toMatchObject({
    result: 'yes',
    caughtUp: ['client_a'],
    decisions: 2,
  })
  expect(await decide([changed, 'yes'], [], [])).toMatchObject({ result: 'yes', caughtUp: [], decisions: 2 })
})

test('gives up at the third time', async () => {
  const refused = new Refusal('invalid_client')
  const all = await decide([refused, refused, refused, 'yes'], ['client_a'])
  expect(all).toMatchObject({ result: refused, decisions: 3 })
  expect(all.asked.map(([, since]) => since)).toEqual([100, 100, 101, 101])
  const changed = new ClientChanged()
  expect(await decide([changed, changed, changed, 'yes'])).toMatchObject({ result: changed, decisions: 3 })
})
