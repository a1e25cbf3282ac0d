import type { HealthClient } from '@gatehouse/kit/health-client'
import { databaseHealth } from '@gatehouse/kit/health-client'
import { expect, test } from 'vitest'
import { watchSystem } from '../src/system-state.ts'

/** A service whose health a test sets. */
function service(serving = true, database = true) {
  const state = { serving, database }
  const asked: { part: string; deadline: number }[] = []
  const client: HealthClient = {
    async isServing(part, deadline) {
      asked.push({ part, deadline })
      return part === databaseHealth ? state.database : state.serving
    },
    close: () => undefined,
  }
  return { client, state, asked }
}

const now = () => 1_900_000_000_000

function watch(stateful: ReturnType<typeof service>[], others: ReturnType<typeof service>[] = []) {
  const services = [...stateful, ...others].map(({ client }) => client)
  return watchSystem({ services, stateful: stateful.map(({ client }) => client), now })
}

test('what was not looked at yet counts as away', () => {
  expect(watch([service()]).last()).toEqual({ services: false, database: false })
})

test('when all services serve and reach the database, all is well', async () => {
  const system = watch([service(), service()], [service()])
  expect(await system.look()).toEqual({ services: true, database: true })
  expect(system.last()).toEqual({ services: true, database: true })
})

test.each([
  [[true, true, false, true], { services: false, database: true }],
  [[true, true, true, false], { services: true, database: false }],
  [[false, false, true, true], { services: false, database: false }],
] as const)(
  'one service that does not is enough',
  async ([one, oneDatabase, other, otherDatabase], expected) => {
    const system = watch([service(one, oneDatabase), service(other, otherDatabase)])
    expect(await system.look()).toEqual(expected)
  },
)

test('a service without state is not asked for its database', async () => {
  const stateless = service(true, false)
  const system = watch([service()], [stateless])
  expect(await system.look()).toEqual({ services: true, database: true })
  expect(stateless.asked.map(({ part }) => part)).toEqual([''])
})

test('every question must be answered within a second', async () => {
  const one = service()
  await watch([one]).look()
  expect(one.asked).toHaveLength(2)
  for (const { deadline } of one.asked) expect(deadline).toBe(now() + 1_000)
})

test('those who look at the same moment share one look, and the next is a new one', async () => {
  const one = service()
  const system = watch([one])
  await Promise.all([system.look(), system.look(), system.look()])
  expect(one.asked).toHaveLength(2)
  one.state.database = false
  expect(await system.look()).toEqual({ services: true, database: false })
})

test('the last look is shown until a new one is done, without waiting', async () => {
  const one = service()
  const system = watch([one])
  await system.look()
  one.state.serving = false
  const looking = system.look()
  expect(system.last()).toEqual({ services: true, database: true })
  await looking
  expect(system.last()).toEqual({ services: false, database: true })
})
