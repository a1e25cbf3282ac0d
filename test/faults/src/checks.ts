import { type Fault, keepsWaiting } from './faults.ts'
import type { Journal, Remark } from './journal.ts'
import type { Issued, Ledger, Span } from './ledger.ts'
import type { Replica } from './world.ts'

/** The result of a check. */
export type Check = {
  name: string
  /** How many things were checked. */
  checked: number
  /** The failures, one line each. */
  failures: string[]
}

/** The final introspection of a token. */
export type Introspected = { issued: Issued; gateway: Replica; active: boolean; asked: Span }

const longestTtlDays = 7
const sparePartitionDays = 7

/** Checks that both gateways report each token as the ledger expects. A token whose state is unknown may be either. */
export function checkTokens(ledger: Pick<Ledger, 'expectation'>, all: readonly Introspected[]): Check[] {
  const names = {
    active: 'a token that was issued and not revoked is active',
    expired: 'a token that has expired is inactive',
    inactive: 'a token that was revoked (itself, or with its grant, client, user or consent) is inactive',
  }
  const checks = Object.values(names).map((name): Check => ({ name, checked: 0, failures: [] }))
  for (const { issued, gateway, active, asked } of all) {
    const expected = ledger.expectation(issued, asked)
    if (expected === 'either') continue
    const name = expected === 'inactive' && issued.expiresAt < asked.began ? names.expired : names[expected]
    const check = checks.find((one) => one.name === name) as Check
    check.checked += 1
    if (active === (expected === 'active')) continue
    check.failures.push(
      `a token of ${issued.grant.kind} given at ${time(issued.given.ended)} is ${active ? 'active' : 'inactive'} at gateway ${gateway}`,
    )
  }
  return checks
}

/** Checks that no code was redeemed twice. */
export function checkCodes({ codes }: Pick<Ledger, 'codes'>): Check {
  const twice = codes.filter(({ redeemed }) => redeemed > 1)
  return {
    name: 'a code gives tokens once',
    checked: codes.length,
    failures: twice.map(({ redeemed }) => `a code was redeemed ${redeemed} times`),
  }
}

/** Checks that exactly one refresh token of each family is unused. */
export function checkFamilies(rows: readonly { grant: string; unused: number }[]): Check {
  const wrong = rows.filter(({ unused }) => unused !== 1)
  return {
    name: 'a family of refresh tokens has one that is unused, in the database',
    checked: rows.length,
    failures: wrong.map(({ grant, unused }) => `grant ${grant} has ${unused} unused refresh tokens`),
  }
}

/** Checks that a fault explains every unusual answer. */
export function checkAnswers(journal: Journal, faults: readonly Fault[]): Check[] {
  const all = journal.requests()
  const whileDown = (remark: Remark) =>
    faults.some(
      (fault) =>
        fault.target === 'gateway' && fault.replica === remark.gateway && meets(fault, remark, 2_000),
    )
  // A suspended gateway answers when it continues.
  const whileSuspended = (remark: Remark) =>
    faults.some(({ harm, ...fault }) => keepsWaiting(harm) && meets(fault, remark, 2_000))
  return [
    { name: 'no answer was unexpected', checked: all, failures: journal.problems.map(line) },
    {
      name: 'a connection was cut only while its gateway was down',
      checked: journal.cuts.length,
      failures: journal.cuts.filter((cut) => !whileDown(cut)).map(line),
    },
    {
      name: '503 was answered only around a fault',
      checked: journal.unavailable.length,
      failures: journal.unavailable
        .filter((remark) => !faults.some((fault) => meets(fault, remark, 5_000)))
        .map(line),
    },
    {
      name: 'an answer took longer than 8 s only while something was suspended, partitioned or slowed',
      checked: all,
      failures: journal.slow.filter((remark) => !whileSuspended(remark)).map(line),
    },
  ]
}

/** Whether something happened during a fault or shortly after. */
export function meets(
  fault: Pick<Fault, 'began' | 'over' | 'recovery' | 'ready'>,
  { began, ended }: Span,
  afterMs: number,
): boolean {
  const { recovery = Number.POSITIVE_INFINITY, ready = Number.POSITIVE_INFINITY } = fault
  return began <= fault.over + Math.max(recovery, ready) + afterMs && ended >= fault.began - 200
}

/** Checks that the system recovered from every fault, and that no process ended by itself. */
export function checkFaults(
  faults: readonly Fault[],
  ends: readonly { name: string; at: number }[],
): Check[] {
  const lost = faults.filter(({ recovery, ready }) => recovery === undefined || ready === undefined)
  const unasked = ends.filter(
    ({ name, at }) =>
      !faults.some(
        ({ target, replica, harm, began, over }) =>
          !keepsWaiting(harm) && `${target}-${replica}` === name && at >= began && at <= over + 3_000,
      ),
  )
  return [
    {
      name: 'the system recovered from every fault by itself',
      checked: faults.length,
      failures: lost.map(
        ({ target, replica, harm, began }) => `${target}-${replica}, ${harm} at ${time(began)}`,
      ),
    },
    {
      name: 'no process ended by itself',
      checked: ends.length,
      failures: unasked.map(({ name, at }) => `${name} ended at ${time(at)}`),
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
    failures: days.filter((day) => !names.includes(`access_tokens_${day}`)).map((day) => `none for ${day}`),
  }
}

/** Checks that all queues are empty. @param rows the number of rows in each queue's table */
export function checkQueues(rows: Record<string, number>): Check {
  const waiting = Object.entries(rows).filter(([, count]) => count > 0)
  return {
    name: 'nothing waits to be sent: revocations and events',
    checked: Object.keys(rows).length,
    failures: waiting.map(([table, count]) => `${table} has ${count} rows`),
  }
}

/** Checks that every accepted event was delivered. */
export function checkEvents(taken: readonly string[], arrived: ReadonlySet<string>): Check {
  const lost = taken.filter((key) => !arrived.has(key))
  return {
    name: 'an event that was answered 202 was delivered',
    checked: taken.length,
    failures: lost.map((key) => `the event ${key} is not in the stream`),
  }
}

/** The database's connections after some seconds without load. */
export type Connections = { open: number; inTransaction: number }

/** Checks that the connections are as they were before the load. */
export function checkConnections(before: Connections, after: Connections): Check {
  const failures = []
  if (after.open > before.open + 4)
    failures.push(`${after.open} are open; before the load ${before.open} were`)
  if (after.inTransaction > 0) failures.push(`${after.inTransaction} wait in a transaction`)
  return { name: 'database connections are given back', checked: after.open, failures }
}

function line({ what, kind, gateway, status, error, began }: Remark): string {
  return `${kind} at gateway ${gateway}, ${time(began)}: ${what} (${status}${error && ` ${error}`})`
}

/** The time of day, UTC. */
export function time(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().slice(11, 23) : 'no time'
}
