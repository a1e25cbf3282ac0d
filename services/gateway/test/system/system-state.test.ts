import type { HealthClient } from '@gatehouse/kit/rpc/health-client'
import { databaseHealth, workHealth } from '@gatehouse/kit/rpc/health-client'
import { expect, test } from 'vitest'
import { createSystemWatch, isReady } from '../../src/system/system-state.ts'

/** A service whose health a test sets; undefined if it gives no answer. */
function service(serving: boolean | undefined = true, database: boolean | undefined = true) {
  const state: Record<'serving' | 'database' | 'works', boolean | undefined> = {
    serving,
    database,
    works: true,
  }
  const asked: { part: string; deadline: number }[] = []
  const client: HealthClient = {
    async isServing(part, deadline) {
      asked.push({ part, deadline })
      if (part === workHealth) return state.works
      return part === databaseHealth ? state.database : state.serving
    },
    close: () => undefined,
  }
  return { client, state, asked }
}

const now = () => 1_900_000_000_000

function watch(services: Record<string, ReturnType<typeof service>>) {
  const clients = Object.entries(services).map(([name, { client }]) => [name, client] as const)
  return createSystemWatch({ services: Object.fromEntries(clients), now })
}

const well = { services: { token: 'available', identity: 'available', events: 'available' }, database: true }
const all = () => ({ token: service(), identity: service(), events: service(true, false) })

test('a service that was not checked yet counts as away', () => {
  expect(watch({ token: service() }).last()).toEqual({ services: { token: 'unavailable' }, database: false })
})

test('the system is healthy if all services serve and reach the database; events may have no database', async () => {
  const services = all()
  const system = watch(services)
  expect(await system.look()).toEqual(well)
  expect(system.last()).toEqual(well)
  expect(isReady(system.last())).toBe(true)
  expect(services.events.asked.map(({ part }) => part)).toEqual(['', workHealth])
})

test.each([
  ['gives no answer', undefined, undefined, 'unavailable', true],
  ['does not serve', false, true, 'unavailable', true],
  ['says that it has lost the database', true, false, 'database_unavailable', false],
  ['does not serve and has lost the database', false, false, 'unavailable', false],
  ['serves, and does not report on the database', true, undefined, 'unavailable', true],
] as const)('only a service that %s is shown as unhealthy', async (_, serving, reaches, state, database) => {
  const services = all()
  Object.assign(services.token.state, { serving, database: reaches })
  const system = watch(services)
  expect(await system.look()).toEqual({ services: { ...well.services, token: state }, database })
  expect(isReady(system.last())).toBe(false)
})

test('the database counts as away if no service that needs it answers', async () => {
  const services = all()
  for (const { state } of [services.token, services.identity])
    Object.assign(state, { serving: undefined, database: undefined })
  expect((await watch(services).look()).database).toBe(false)
})

test('every check must be answered within a second', async () => {
  const one = service()
  await watch({ token: one }).look()
  expect(one.asked).toHaveLength(3)
  for (const { deadline } of one.asked) expect(deadline).toBe(now() + 1_000)
})

test('concurrent callers share one check, and the next caller starts a new one', async () => {
  const one = service()
  const system = watch({ token: one })
  await Promise.all([system.look(), system.look(), system.look()])
  expect(one.asked).toHaveLength(3)
  one.state.database = false
  expect(await system.look()).toEqual({ services: { token: 'database_unavailable' }, database: false })
})

test('the last check is shown without waiting until a new one is done', async () => {
  const one = service()
  const system = watch({ token: one })
  await system.look()
  one.state.serving = false
  const looking = system.look()
  expect(system.last()).toEqual({ services: { token: 'available' }, database: true })
  await looking
  expect(system.last()).toEqual({ services: { token: 'unavailable' }, database: true })
})

test('a service that answers and could not do its work is unable, whatever its database says', async () => {
  const one = service()
  one.state.works = false
  const system = watch({ token: one })
  expect(await system.look()).toEqual({ services: { token: 'unable' }, database: true })
  expect(isReady(system.last())).toBe(false)
  one.state.database = false
  expect(await system.look()).toEqual({ services: { token: 'database_unavailable' }, database: false })
})

test('a service whose circuit is open counts as away, since requests get no answer of it', async () => {
  const cutOff = new Set<string>()
  const system = createSystemWatch({
    services: { token: service().client },
    isCutOff: (name) => cutOff.has(name),
    now,
  })
  expect(isReady(await system.look())).toBe(true)
  cutOff.add('token')
  expect(await system.look()).toEqual({ services: { token: 'unavailable' }, database: true })
})
