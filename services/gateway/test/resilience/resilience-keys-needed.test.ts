import { jwtBearerAssertion, keysNeeded } from '@gatehouse/proto/client-authentication'
import type { Presented } from '@gatehouse/proto/token/v1'
import { expect, test } from 'vitest'
import { createCircuit } from '../../src/resilience/circuit.ts'
import { createGuard } from '../../src/resilience/guard.ts'
import { guardedClient } from '../../src/resilience/guarded-client.ts'
import { createRetryBudget } from '../../src/resilience/retry-budget.ts'
import { tokenServiceOver } from '../../src/services/token-service.ts'

const needed = { outcome: { $case: 'failure' as const, value: { code: keysNeeded, description: '' } } }
const token = { outcome: { $case: 'token' as const, value: { accessToken: 'a', expiresIn: 1, scope: '' } } }
const signed: Presented = {
  credentials: [{ clientId: 'client_a', clientSecret: '' }],
  assertion: 'a.b.c',
  assertionType: jwtBearerAssertion,
}

/** A token service whose circuit opens with the fourth failure in a row. Requests with an assertion need keys, which are read by `read`. */
function start(read: () => Promise<void>) {
  const circuit = createCircuit({ service: 'token', failures: 4, openMs: 2_000, probes: 3, timeoutMs: 3_000 })
  const guard = createGuard({
    ...{ service: 'token', circuit, budget: createRetryBudget(10, Date.now), calls: 32, waiting: 1_000 },
    ...{ timeoutMs: 3_000, rejected: () => undefined, retried: () => undefined, now: Date.now },
    ...{ random: Math.random, pause: async () => undefined },
  })
  const issue = async ({ items: [item] }: { items: { presented?: Presented }[] }) => {
    if (!item?.presented?.mayWait) return { results: [needed] }
    await read()
    return { results: [token] }
  }
  const tokens = tokenServiceOver(
    guardedClient({ issue, close: () => undefined } as never, guard, 5_000) as never,
  )
  const ask = (presented: Presented) =>
    tokens.issue({
      ...{
        presented,
        grantType: 'client_credentials',
        parameters: {},
        resources: [],
        ipAddress: '192.0.2.1',
      },
    })
  return { circuit, ask }
}

test('requests that need the keys of a client do not open the circuit of the token service', async () => {
  const { promise: read, resolve } = Promise.withResolvers<void>()
  let reading = 0
  const { circuit, ask } = start(() => {
    reading += 1
    return read
  })
  const asked: Promise<unknown>[] = []
  for (let index = 1; index <= 6; index += 1) {
    asked.push(ask(signed).catch((error: unknown) => error))
    await expect.poll(() => reading).toBe(index)
  }
  expect(circuit.state()).toBe(0)
  resolve()
  expect(await Promise.all(asked)).toEqual(asked.map(() => expect.objectContaining({ accessToken: 'a' })))
})
