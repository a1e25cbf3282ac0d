import { type Check, time } from '../checker/check.ts'
import type { Fault } from '../history/fault.ts'
import { placeOf } from './faults.ts'

const longestTtlDays = 7
const sparePartitionDays = 7

/** Checks that exactly one refresh token of each family is unused. */
export function checkFamilyRows(rows: readonly { grant: string; unused: number }[]): Check {
  const wrong = rows.filter(({ unused }) => unused !== 1)
  return {
    name: 'a family of refresh tokens has one that is unused, in the database',
    checked: rows.length,
    failures: wrong.map(({ grant, unused }) => ({
      text: `grant ${grant} has ${unused} unused refresh tokens`,
    })),
  }
}

/** Checks that the system recovered from every fault, and that no process ended by itself. */
export function checkFaults(
  faults: readonly Fault[],
  ends: readonly { name: string; at: number }[],
): Check[] {
  const lost = faults.filter(({ recovered, ready }) => recovered === undefined || ready === undefined)
  const unasked = ends.filter(
    ({ name, at }) =>
      !faults.some(
        (fault) =>
          (fault.harm === 'killed' || fault.harm === 'stopped in order') &&
          placeOf(fault) === name &&
          at >= fault.began &&
          at <= fault.over + 3_000,
      ),
  )
  return [
    {
      name: 'the system recovered from every fault by itself',
      checked: faults.length,
      failures: lost.map((fault) => ({
        at: fault.began,
        text: `${placeOf(fault)}, ${fault.harm} at ${time(fault.began)}`,
      })),
    },
    {
      name: 'no process ended by itself',
      checked: ends.length,
      failures: unasked.map(({ name, at }) => ({ at, text: `${name} ended at ${time(at)}` })),
    },
  ]
}

/** Checks that every day on which a token may expire has its partition. @param names the attached partitions */
export function checkPartitions(names: readonly string[], now: number): Check {
  const days = Array.from({ length: longestTtlDays + sparePartitionDays + 1 }, (_, day) =>
    new Date(now + day * 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
  )
  return {
    name: 'every day from now to the longest lifetime and 7 days has its partition',
    checked: days.length,
    failures: days
      .filter((day) => !names.includes(`access_tokens_${day}`))
      .map((day) => ({ text: `none for ${day}` })),
  }
}

/** Checks that all queues are empty. @param rows the number of rows in each queue's table */
export function checkQueues(rows: Record<string, number>): Check {
  const waiting = Object.entries(rows).filter(([, count]) => count > 0)
  return {
    name: 'nothing waits to be sent: revocations and events',
    checked: Object.keys(rows).length,
    failures: waiting.map(([table, count]) => ({ text: `${table} has ${count} rows` })),
  }
}

/** The database's connections after some seconds without load. */
export type Connections = { open: number; inTransaction: number }

/** Checks that the connections are as they were before the load. */
export function checkConnections(before: Connections, after: Connections): Check {
  const failures = []
  if (after.open > before.open + 4)
    failures.push({ text: `${after.open} are open; before the load ${before.open} were` })
  if (after.inTransaction > 0) failures.push({ text: `${after.inTransaction} wait in a transaction` })
  return { name: 'database connections are given back', checked: after.open, failures }
}
