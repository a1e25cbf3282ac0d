import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { expect, test } from 'vitest'
import { createMaintenance, type MaintenanceDeps } from '../src/maintenance.ts'

function start(changes: Partial<MaintenanceDeps> = {}) {
  const done: unknown[] = []
  let time = 1_900_000_000_000
  const maintain = createMaintenance({
    isElected: async () => true,
    maintainPartitions: async () => {
      done.push('partitions')
      return { made: [], dropped: [] }
    },
    deleteExpired: {
      revocations: async () => {
        done.push('revocations')
        return 0
      },
      codes: async () => {
        done.push('codes')
        return 0
      },
    },
    cleanedUp: () => void done.push('cleaned up'),
    deleted: () => undefined,
    countActiveTokens: async () => 7,
    setActive: async (count) => void done.push(count),
    now: () => time,
    log: recordedLog().log,
    ...changes,
  })
  return {
    done,
    maintain,
    pass(milliseconds: number) {
      time += milliseconds
    },
  }
}

const hour = 3_600_000

test('the elected replica counts each time and cleans up once an hour', async () => {
  const { maintain, done, pass } = start()
  await maintain()
  expect(done.toSorted()).toEqual([7, 'cleaned up', 'codes', 'partitions', 'revocations'])
  done.length = 0
  pass(hour - 1)
  await maintain()
  expect(done).toEqual([7])
  pass(1)
  await maintain()
  expect(done.toSorted()).toEqual([7, 7, 'cleaned up', 'codes', 'partitions', 'revocations'])
})

test('a replica that is not elected does nothing and reports no number', async () => {
  const { maintain, done } = start({ isElected: async () => false })
  await maintain()
  expect(done).toEqual([undefined])
})

test('a replica that loses the election withdraws its number, and cleans up when it is elected again', async () => {
  let elected = true
  const { maintain, done, pass } = start({ isElected: async () => elected })
  await maintain()
  elected = false
  done.length = 0
  await maintain()
  expect(done).toEqual([undefined])
  elected = true
  pass(hour)
  await maintain()
  expect(done.toSorted()).toEqual([7, 'cleaned up', 'codes', 'partitions', 'revocations', undefined])
})

test('retries a failed clean-up in the next round, not in an hour', async () => {
  let failing = true
  const { maintain, done } = start({
    maintainPartitions: async () => {
      if (failing) throw new Error('locked')
      done.push('partitions')
      return { made: [], dropped: [] }
    },
  })
  await maintain()
  // The other parts still run, and so does the count.
  expect(done).toEqual(['revocations', 'codes', 7])
  failing = false
  await maintain()
  expect(done).toEqual(['revocations', 'codes', 7, 'partitions', 'revocations', 'codes', 'cleaned up', 7])
})

test('makes partitions even if the count fails', async () => {
  const { maintain, done } = start({ countActiveTokens: () => Promise.reject(new Error('too slow')) })
  await maintain().catch(() => undefined)
  expect(done).toContain('partitions')
})
