import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Ask } from './asking.ts'
import type { Client, Crew } from './callers.ts'
import {
  type Check,
  type Connections,
  checkCodes,
  checkConnections,
  checkEvents,
  checkFamilies,
  checkPartitions,
  checkQueues,
  checkTokens,
  type Introspected,
} from './checks.ts'
import type { Database } from './database.ts'
import { auditFamilies } from './family-audit.ts'
import { introspectOne } from './final-introspection.ts'
import { replicas } from './world.ts'

/** How many introspections run at once. */
const askers = 32
/** How many expired tokens are introspected; a sample is enough for them. */
const mostExpired = 5_000
/** How long queues may take to empty when all processes serve, in milliseconds. */
const longestWait = 60_000

/** Runs all checks after the load has ended and all processes serve. */
export async function audit(
  crew: Crew,
  deps: { ask: Ask; database: Database; connections: Connections; clients: readonly Client[] },
): Promise<Check[]> {
  const { world, ledger } = crew
  const { ask, database } = deps
  await untilNothingWaits(database)
  const waiting = await database.queues()
  // Pools close unused connections within some seconds.
  const after = await untilGivenBack(database, deps.connections)
  const introspected = await introspectAll(crew, ask)
  const families = await auditFamilies(crew, ask, deps.clients)
  return [
    ...checkTokens(ledger, introspected),
    checkCodes(ledger),
    ...families,
    checkFamilies(await database.families()),
    checkEvents(ledger.events, await arrivedEvents(world.redis.url)),
    checkQueues(waiting),
    checkPartitions(await database.partitions(), Date.now()),
    checkConnections(deps.connections, after),
  ]
}

async function untilNothingWaits(database: Database): Promise<void> {
  const deadline = Date.now() + longestWait
  while (Date.now() < deadline) {
    const counts = Object.values(await database.queues())
    if (counts.every((count) => count === 0)) return
    await sleep(500)
  }
}

async function untilGivenBack(database: Database, before: Connections): Promise<Connections> {
  const deadline = Date.now() + longestWait
  for (;;) {
    const now = await database.connections()
    if (checkConnections(before, now).failures.length === 0 || Date.now() > deadline) return now
    await sleep(1_000)
  }
}

/** Introspects every token of the run that has not expired, and some of the others, on both gateways. */
async function introspectAll({ ledger }: Crew, ask: Ask): Promise<Introspected[]> {
  const now = Date.now()
  const expired = ledger.issued.filter(({ expiresAt }) => expiresAt <= now)
  const step = Math.ceil(expired.length / mostExpired)
  const asked = [
    ...ledger.issued.filter(({ expiresAt }) => expiresAt > now),
    ...expired.filter((_, index) => index % step === 0),
  ]
  const questions = asked.flatMap((issued) => replicas.map((gateway) => ({ issued, gateway })))
  const answers: Introspected[] = []
  let next = 0
  await Promise.all(
    Array.from({ length: askers }, async () => {
      for (let question = questions[next++]; question; question = questions[next++]) {
        answers.push(await introspectOne(ask, question.issued, question.gateway))
      }
    }),
  )
  return answers
}

/** The keys of all events in the stream, in its order. */
export async function arrivedEvents(url: string): Promise<Set<string>> {
  const redis = new Redis(url)
  redis.on('error', () => undefined)
  try {
    const keys = new Set<string>()
    for (let from = '-'; ; ) {
      const entries = await redis.xrange('gatehouse:events', from, '+', 'COUNT', 5_000)
      for (const [, fields] of entries) {
        const at = fields.findIndex((field, index) => index % 2 === 0 && /partitionkey$/.test(field))
        if (at >= 0) keys.add(fields[at + 1] as string)
      }
      const last = entries.at(-1)?.[0]
      if (last === undefined) return keys
      from = `(${last}`
    }
  } finally {
    redis.disconnect()
  }
}
