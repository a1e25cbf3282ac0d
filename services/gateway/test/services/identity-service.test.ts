import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { expect, test } from 'vitest'
import { identityServiceOver } from '../../src/services/identity-service.ts'

type Rpc = RpcClient<typeof IdentityServiceService>

const over = (calls: Partial<Rpc>) => identityServiceOver(calls as Rpc)
const asked = ['a', 'b', 'c'].map((sessionSecret) => ({ sessionSecret, clientId: 'x' }))

test('sessions that are wanted at the same moment share a call, and one that fails does so alone', async () => {
  const calls: string[][] = []
  const { getSession } = over({
    getSessions: async ({ items }) => {
      calls.push(items.map(({ sessionSecret }) => sessionSecret))
      const failed = { code: 'temporarily_unavailable', description: '' }
      return {
        results: items.map(({ sessionSecret }) =>
          sessionSecret === 'b'
            ? { outcome: { $case: 'failure', value: failed } }
            : { outcome: { $case: 'response', value: { session: undefined } } },
        ),
      }
    },
  })
  expect(await Promise.allSettled(asked.map((one) => getSession(one)))).toMatchObject([
    { value: { session: undefined } },
    { reason: { code: 'temporarily_unavailable' } },
    { value: { session: undefined } },
  ])
  expect(calls).toEqual([['a', 'b', 'c']])
})

test('an identity service that is away fails each session', async () => {
  const gone = new Refusal('temporarily_unavailable', undefined, { cause: { code: 14 } })
  const away = over({ getSessions: () => Promise.reject(gone) })
  for (const one of await Promise.allSettled(asked.map((item) => away.getSession(item))))
    expect(one).toEqual({ status: 'rejected', reason: gone })
})
