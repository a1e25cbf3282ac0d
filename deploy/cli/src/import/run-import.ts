import { setTimeout as sleep } from 'node:timers/promises'
import type { Output } from '../output.ts'
import type { Terminal } from '../terminal.ts'
import { atOnce } from './at-once.ts'
import { type DeliveryDeps, deliver } from './delivery.ts'
import type { Entry } from './entry.ts'
import type { Result } from './prepared.ts'
import { type Progress, startProgress } from './progress.ts'
import { openReport } from './report.ts'

/** The entries of an import, and the way in which they are sent. */
export type Import<Item> = {
  entries: AsyncIterable<Entry<Item>>
  /** The name of an entry in the report, such as `username`. */
  nameField: string
  /** How much of a batch's room an item takes, and how much a batch has. */
  sizeOf(item: Item): number
  batchSize: number
  /** How many batches are under way at once, where it is not for the administrator to say. */
  parallel?: number
} & Pick<DeliveryDeps<Item>, 'send' | 'afterLostAnswer'>

/** A part of an import, which begins when the part before has ended. */
export type Phase = (running: Running) => Promise<void>

/** The way in which the parts of an import run, and where they tell what became of their entries. */
type Running = {
  parallel: number
  tell(shown: object, result: Result): Promise<void>
  say(note: string): Promise<void>
}

/** The options of every import. */
export type ImportOptions = {
  /** The file that gets a line about each entry. */
  report?: string | undefined
  /** How many batches are under way at once. */
  parallel: number
  dryRun?: boolean | undefined
}

/** An entry that is ready to be sent: what the report has of it, the item, and what was left out. */
type Ready<Item> = { shown: object; item: Item; note: string; unneeded?: readonly string[] }

/** How many failures are shown when there is no report. */
const mostShown = 20

/**
 * Imports entries in batches, several at once. The memory that it takes does not depend on their number.
 * @returns the summary, which tells that the import failed if an entry was invalid or there was none
 * @throws CommandFailure when a file cannot be read, the credentials are refused, or the server stays away
 */
export function runImport<Item>(
  what: Import<Item>,
  options: ImportOptions,
  terminal: Pick<Terminal, 'errors'>,
): Promise<Output> {
  return runPhases([phase(what)], options, terminal)
}

/** Makes a part of an import out of entries of one kind. */
export function phase<Item>(what: Import<Item>): Phase {
  return async ({ parallel, tell, say }) => {
    const deliveries = atOnce(what.parallel ?? parallel)
    try {
      for await (const batch of batchesOf(what, tell, say))
        await deliveries.begin(() => deliverBatch(batch, what, tell))
    } finally {
      await deliveries.end()
    }
  }
}

/** Runs the parts of an import one after the other, with one report and one summary, as `runImport` does. */
export async function runPhases(
  phases: readonly Phase[],
  { report: path, parallel, dryRun }: ImportOptions,
  { errors }: Pick<Terminal, 'errors'>,
): Promise<Output> {
  const report = path === undefined ? undefined : await openReport(path)
  const progress = startProgress(errors)
  const tell = async (shown: object, { reason, ...result }: Result) => {
    progress.count(result.outcome)
    const line = { ...shown, ...result, ...(reason && { reason }) }
    if (report) await report.write(line)
    else if (result.outcome === 'invalid' && progress.counts.invalid <= mostShown)
      errors.write(`${JSON.stringify(line)}\n`)
  }
  const say = async (note: string) => {
    if (report) await report.write({ outcome: 'noted', reason: note })
    else errors.write(`${note}\n`)
  }
  try {
    for (const one of phases) await one({ parallel, tell, say })
  } catch (error) {
    errors.write(`The import ended early: ${progress.text()}. It can be repeated.\n`)
    throw error
  } finally {
    progress.end()
    await report?.close()
  }
  return summary(progress, dryRun ?? false)
}

/** Collects the entries that are ready in batches, and tells of the others. */
async function* batchesOf<Item>(
  { entries, nameField, sizeOf, batchSize }: Import<Item>,
  tell: (shown: object, result: Result) => Promise<void>,
  say: (note: string) => Promise<void>,
): AsyncGenerator<Ready<Item>[]> {
  let batch: Ready<Item>[] = []
  let size = 0
  for await (const entry of entries) {
    if ('note' in entry) {
      await say(entry.note)
      continue
    }
    const { place, prepared } = entry
    const shown = { ...place, [nameField]: prepared.name }
    if (!('item' in prepared)) {
      await tell(shown, { outcome: prepared.outcome, reason: prepared.reason })
      continue
    }
    const { item, note, unneeded } = prepared
    const room = sizeOf(item)
    if (batch.length > 0 && size + room > batchSize) {
      yield batch
      batch = []
      size = 0
    }
    batch.push({ shown, item, note, ...(unneeded && { unneeded }) })
    size += room
  }
  if (batch.length > 0) yield batch
}

async function deliverBatch<Item>(
  batch: readonly Ready<Item>[],
  { send, afterLostAnswer }: Pick<Import<Item>, 'send' | 'afterLostAnswer'>,
  tell: (shown: object, result: Result) => Promise<void>,
): Promise<void> {
  const items = batch.map(({ item }) => item)
  const results = await deliver(items, { send, wait: sleep, ...(afterLostAnswer && { afterLostAnswer }) })
  for (const [index, result] of results.entries()) {
    const { shown = {}, note, unneeded } = batch[index] ?? {}
    const reason = [result.reason, note].filter(Boolean).join(' ')
    await tell(shown, { ...result, reason, ...(unneeded && { unneeded }) })
  }
}

function summary({ counts, text, seconds }: Progress, dryRun: boolean): Output {
  const isEmpty = Object.values(counts).every((count) => count === 0)
  const output = {
    json: { ...counts, seconds: seconds(), dry_run: dryRun },
    text: `${dryRun ? 'Nothing is stored; it would be: ' : ''}${text()}, in ${seconds()} s.`,
  }
  if (isEmpty) return { ...output, failure: 'The file has nothing to import.' }
  return counts.invalid > 0 ? { ...output, failure: `${counts.invalid} could not be imported.` } : output
}
