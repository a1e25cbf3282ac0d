import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BesideDeps, type BesideRound, runBeside } from './beside/beside.ts'
import type { Database } from './durability.ts'
import { BenchFailure } from './failure.ts'
import type { Gatehouse } from './gatehouse.ts'
import { send } from './http.ts'
import { type Usage, watch } from './measuring/usage.ts'
import { gatehouseSubject } from './subjects.ts'
import { type Load, runWrk } from './wrk.ts'

/** The least of its speed that issuing must keep while it emits events. */
export const leastWithEvents = 0.95

/** The least number of events from outside that must be accepted in a second. */
export const leastIngested = 2_000

/** Events from outside, under load for a while. */
export type IngestRound = Load & { usage: Usage }

/** The results of all rounds. */
export type EventsResult = { rounds: BesideRound[]; ingest: IngestRound[] }

/**
 * Measures the cost of events: a second system emits two for each token, to the backend in memory. Then it accepts events from
 * outside, each of which is durable in PostgreSQL before it is answered.
 * @throws BenchFailure when events that must arrive were lost, or an answer was wrong
 */
export async function runEventsRounds(deps: BesideDeps): Promise<EventsResult> {
  const { rounds, other, database, answered } = await runBeside(deps, {
    name: 'events',
    variables: { OAUTH2_EVENTS_ENABLED: 'true' },
  })
  other.checkAlive()
  const emitted = await deliveredBy(other, 2 * answered)
  if (emitted < 2 * answered)
    throw new BenchFailure(`For ${answered} tokens ${emitted} events were delivered; there are two for each`)
  const ingest: IngestRound[] = []
  for (let number = 0; number < deps.options.rounds; number += 1) {
    const round = await ingestFor(deps, other, database)
    ingest.push(round)
    deps.start.tell(
      `round ${number + 1} of ${deps.options.rounds}: ${Math.round(round.perSecond)} events/s taken`,
    )
  }
  return { rounds, ingest }
}

async function ingestFor(
  { options, signal, directory }: BesideDeps,
  gatehouse: Gatehouse,
  database: Database,
): Promise<IngestRound> {
  const { url, watched } = gatehouseSubject(gatehouse)
  const formsFile = join(directory, 'events', 'submissions.txt')
  const event = { event_type: 'order_placed', user_id: 'user-1', metadata: { order: 1, total: '12.50' } }
  await writeFile(formsFile, `${JSON.stringify({ event })}\n`)
  const load = {
    url: `${url}/events/ingest`,
    contentType: 'application/json',
    formsFile,
    connections: options.connections,
    signal,
  }
  const before = await deliveredBy(gatehouse, 0)
  const warmUp = await runWrk({ ...load, seconds: options.warmUpSeconds })
  const stopWatching = watch(watched)
  const result = await runWrk({ ...load, seconds: options.seconds })
  const usage = stopWatching()
  const taken = warmUp.requests + result.requests
  const delivered = (await deliveredBy(gatehouse, before + taken)) - before
  if (delivered < taken) throw new BenchFailure(`Of ${taken} events taken ${delivered} were delivered`)
  // The requests whose answers wrk did not wait for were accepted too.
  await sleep(1_000)
  const { rows } = await database.client.query('select count(*)::int as waiting from events.outbox')
  if (rows[0].waiting > 0) throw new BenchFailure(`Of ${taken} events taken ${rows[0].waiting} wait`)
  return { ...result, usage }
}

/** Waits until the backend in memory has got so many events, for at most ten seconds, and returns how many it got. */
async function deliveredBy({ url }: Gatehouse, wanted: number): Promise<number> {
  const pattern = /_events_published_total\{[^}]*backend="in_memory"[^}]*outcome="delivered"[^}]*\} (\d+)/
  for (let look = 0; ; look += 1) {
    const { text } = await send(`${url}/metrics`)
    const delivered = Number(pattern.exec(text)?.[1] ?? 0)
    if (delivered >= wanted || look === 100) return delivered
    await sleep(100)
  }
}
