import { textOf } from '@gatehouse/test/repository'
import { type Addition, filesOf, isMade } from './addition.ts'
import { applyEdits, Misfit } from './edit.ts'
import { additions } from './table.ts'

// The cost of each addition: how many files of the product it takes, at most and as the goal. An addition that no longer fits the code
// is an error, and so is one that takes more files than before. touch.oracle.ts makes them and sees whether they work.

function fail(line: string): void {
  console.error(line)
  process.exitCode = 1
}

function report(addition: Addition): void {
  const { name, goal, most } = addition
  const files = filesOf(addition)
  const count = String(files.length).padStart(3)
  console.log(`${count} of at most ${most}, goal ${goal}: ${name}: ${files.join(', ')}`)
  if (files.length > most) fail(`${name} takes more than ${most} files`)
  if (files.length === 0) fail(`${name}: nothing was counted`)
}

/** The files after the edits so far: all additions must fit at once. */
const edited = new Map<string, string>()

for (const addition of additions) {
  try {
    if (isMade(addition)) applyEdits([...addition.entry, ...addition.rest], textOf, edited)
    report(addition)
  } catch (error) {
    if (!(error instanceof Misfit)) throw error
    fail(`${addition.name} no longer fits: ${error.message}`)
  }
}
