import { expect, test } from 'vitest'
import type { Check } from '../src/checker/check.ts'
import type { Fault } from '../src/history/fault.ts'
import {
  checkConnections,
  checkFamilyRows,
  checkFaults,
  checkPartitions,
  checkQueues,
} from '../src/world/state-checks.ts'

const now = Date.UTC(2026, 0, 1, 12)
const wrong = (checks: Check | Check[]) => [checks].flat().filter(({ failures }) => failures.length > 0)

test('finds a family with two unused refresh tokens, and one without any', () => {
  const families = [0, 1, 2].map((unused) => ({ grant: `grant ${unused}`, unused }))
  expect(checkFamilyRows(families).failures).toEqual([
    { text: 'grant grant 0 has 0 unused refresh tokens' },
    { text: 'grant grant 2 has 2 unused refresh tokens' },
  ])
})

test('finds a fault without a recovery and a process that ended by itself', () => {
  const times = { began: 1_000, over: 1_000, recovered: 2_000, ready: 2_000 }
  const fault: Fault = {
    ...{ target: 'gateway', harm: 'killed', replica: 'a', lasts: 0, shift: 0, share: 0 },
    ...times,
  }
  expect(wrong(checkFaults([fault], [{ name: 'gateway-a', at: 1_050 }]))).toEqual([])
  expect(wrong(checkFaults([{ ...fault, recovered: undefined }], []))).toHaveLength(1)
  expect(wrong(checkFaults([fault], [{ name: 'token-a', at: 1_050 }]))).toHaveLength(1)
  expect(wrong(checkFaults([fault], [{ name: 'gateway-a', at: 60_000 }]))).toHaveLength(1)
})

test('finds a day without a partition', () => {
  const days = Array.from({ length: 15 }, (_, day) =>
    new Date(now + day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
  )
  const names = days.map((day) => `access_tokens_${day}`)
  expect(wrong(checkPartitions(names, now))).toEqual([])
  expect(checkPartitions(names.slice(0, -1), now).failures).toEqual([{ text: 'none for 20260115' }])
})

test('finds waiting rows and connections that were not released', () => {
  expect(wrong(checkQueues({ 'events.outbox': 0 }))).toEqual([])
  expect(wrong(checkQueues({ 'events.outbox': 1 }))).toHaveLength(1)
  const before = { open: 10, inTransaction: 0 }
  expect(wrong(checkConnections(before, { open: 14, inTransaction: 0 }))).toEqual([])
  expect(wrong(checkConnections(before, { open: 15, inTransaction: 0 }))).toHaveLength(1)
  expect(wrong(checkConnections(before, { open: 10, inTransaction: 1 }))).toHaveLength(1)
})
