import { setImmediate as turn } from 'node:timers/promises'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { afterEach, expect, test } from 'vitest'
import { type Connection, keepConnected } from '../../src/backends/connection.ts'

let connection: Connection<object>
afterEach(() => connection.close())

/** An engine that can be made to fail. */
function faultyEngine() {
  const { log, lines } = recordedLog()
  let accepts = true
  let lose: (reason: string) => void = () => undefined
  let connects = 0
  connection = keepConnected({
    log,
    reasonOf: (error) => (error as Error).message,
    async connect() {
      if (!accepts) throw new Error('refused')
      const { promise: lost, resolve } = Promise.withResolvers<string>()
      lose = resolve
      connects += 1
      const drop = () => resolve('given up')
      return { client: {}, lost, end: async () => drop(), drop }
    },
  })
  return {
    lines,
    connects: () => connects,
    goAway() {
      accepts = false
      lose('reset')
    },
    lose: () => lose('reset'),
  }
}

const signal = new AbortController().signal
const failing = () =>
  connection.deliver(signal, async () => {
    throw Object.assign(new Error('no room'), { command: { args: ['password'] } })
  })

test('a confirmation after the connection was lost does not count as healthy', async () => {
  const { lines, goAway } = faultyEngine()
  await expect.poll(() => connection.isHealthy()).toBe(true)
  const { promise: confirmed, resolve: confirm } = Promise.withResolvers<void>()
  const delivery = connection.deliver(signal, () => confirmed)
  goAway()
  await turn()
  confirm()
  await delivery
  expect(connection.isHealthy()).toBe(false)
  expect(lines).toMatchObject([{ level: 40, reason: 'reset' }])
})

test('an engine that accepts connections but no events is logged once, until it accepts an event', async () => {
  const { lines, lose, connects } = faultyEngine()
  await expect.poll(connects).toBe(1)
  for (const tries of [2, 3]) {
    await expect(failing()).rejects.toThrow('no room')
    expect(connection.isHealthy()).toBe(false)
    lose()
    await expect.poll(connects).toBe(tries)
    await turn()
  }
  expect(lines).toMatchObject([{ level: 40, reason: 'no room' }])
  await connection.deliver(signal, async () => undefined)
  expect(lines).toMatchObject([{ level: 40 }, { level: 30 }])
})

test('the details that a client library attaches to its errors are not passed on', async () => {
  const { lines, connects } = faultyEngine()
  await expect.poll(connects).toBe(1)
  const error = await failing().catch((error) => error)
  expect(Object.entries(error)).toEqual([])
  expect(error.cause).toBeUndefined()
  expect(JSON.stringify(lines)).not.toContain('password')
})
