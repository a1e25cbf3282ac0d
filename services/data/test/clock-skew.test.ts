import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { openDatabase } from '@gatehouse/prisma/database'
import { createDatabase } from '@gatehouse/test/postgres/database'
import { expect, onTestFinished, test } from 'vitest'
import { compareClocks } from '../src/clock-skew.ts'

/** A process whose clock is so many seconds behind that of a real database. */
async function processBehind() {
  const created = await createDatabase()
  const database = openDatabase({
    databaseUrl: created.url,
    applicationName: 'gatehouse-test',
    poolSize: 1,
  })
  onTestFinished(async () => {
    await database.close()
    await created.drop()
  })
  const { log, lines } = recordedLog()
  const state = { secondsBehind: 0, attempts: 0 }
  const seen: number[] = []
  const attempt = compareClocks(
    async (ask) => {
      state.attempts += 1
      await ask('select 1')
    },
    {
      log,
      now: () => Date.now() - state.secondsBehind * 1000,
      measured: (seconds) => void seen.push(Math.round(seconds)),
    },
  )
  const look = async (secondsBehind: number) => {
    state.secondsBehind = secondsBehind
    await database.ping(attempt)
  }
  return { look, lines, seen, state }
}

test('clocks that are a second or more apart are logged once, and once when they agree again', async () => {
  const { look, lines, seen, state } = await processBehind()
  for (const seconds of [0, 0.4, 90, 90, -90, 0, 0]) await look(seconds)
  expect(lines).toMatchObject([{ level: 40, seconds: 90 }, { level: 30 }])
  expect([seen[0], seen[2], seen[4], seen[6]]).toEqual([0, 90, -90, 0])
  expect(state.attempts).toBe(7)
})
