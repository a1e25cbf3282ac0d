import { setTimeout as sleep } from 'node:timers/promises'
import type { HistoryWriter } from '../history/file.ts'
import type { Database } from './database.ts'
import type { World } from './world.ts'

/** How long queues may take to empty when all processes serve, in milliseconds. */
const longestWait = 60_000

/** Waits until nothing waits to be sent. */
export async function untilNothingWaits(database: Database): Promise<void> {
  const deadline = performance.now() + longestWait
  while (performance.now() < deadline) {
    const counts = Object.values(await database.queues())
    if (counts.every((count) => count === 0)) return
    await sleep(500)
  }
}

/**
 * Writes into the history what the database and the broker have after the run.
 * @param epoch the run's beginning, in milliseconds since the Unix epoch
 */
export async function observe({
  world,
  database,
  writer,
  epoch,
}: {
  world: World
  database: Database
  writer: Pick<HistoryWriter, 'write'>
  epoch: number
}): Promise<void> {
  for (const entry of await database.auditEntries(epoch)) writer.write(entry)
  for await (const tokens of database.storedTokens()) writer.write(tokens)
  for await (const event of world.nats.delivered()) writer.write(event)
}
