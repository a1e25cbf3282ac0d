import { setImmediate as nextTurn } from 'node:timers/promises'
import { runCommand } from '@gatehouse/test/programs/command'
import { defaultReportMessage } from 'fast-check'
import { FuzzFailure, type Options, readOptions, usage } from './options.ts'
import { play } from './play.ts'
import { targets } from './table.ts'

// Reads random and broken input with our own parsers, by turns, and says which input made one crash, hang or take what it must not.

/** How long a turn of a target is, in milliseconds. */
const turn = 2_000

/**
 * Plays the targets by turns until the time is over or somebody stops it. A target that found something gets no more turns.
 * @returns whether nothing was found
 */
async function fuzz({ minutes, seed, names }: Options, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + minutes * 60_000
  const playing = new Map(targets.filter(({ name }) => names.includes(name)).map((target) => [target, 0]))
  const count = playing.size
  console.log(`Seed ${seed}.`)
  const isOver = () => signal.aborted || performance.now() >= end
  for (let round = 0; !isOver() && playing.size > 0; round += 1) {
    for (const [target, before] of playing) {
      if (isOver()) break
      const milliseconds = Math.min(turn, end - performance.now())
      const details = await play(target, { seed: seed + round, milliseconds })
      playing.set(target, before + details.numRuns)
      if (details.failed) {
        console.log(`\n${target.name}: ${defaultReportMessage(details)}\n`)
        playing.delete(target)
      }
      await nextTurn()
    }
  }
  for (const [{ name }, runs] of playing)
    console.log(`${name}: nothing in ${runs.toLocaleString('en')} inputs`)
  return playing.size === count
}

await runCommand(async (signal) => {
  const options = readOptions(process.argv.slice(2))
  if (options !== 'help') return fuzz(options, signal)
  process.stdout.write(usage)
  return true
}, FuzzFailure)
