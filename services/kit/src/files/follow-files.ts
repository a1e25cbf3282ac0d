import { readFile, stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError } from '../config/configuration-error.ts'
import { type RepeatContext, repeat } from '../time/repeat.ts'

/** Files that are read again when they change, and what is made of them. */
export type FollowedFiles<Name extends string, Made> = {
  /** Names the task in the log, such as "reading the certificates". */
  what: string
  /** The paths of the files, by the variables that name them. */
  files: Readonly<Record<Name, string>>
  /**
   * Makes something of the content of all files.
   * @throws ConfigurationError where it cannot be used; what was made before then stays in use
   */
  make(contents: Readonly<Record<Name, Buffer>>): Made | Promise<Made>
  /** Takes what was made after a change. */
  take(made: Made): void
  /** How often the files are looked at, in milliseconds; 5,000 by default. */
  lookEveryMs?: number | undefined
}

/** How long files must be unchanged before they are read, in milliseconds: writers replace one after the other. */
const settled = 1_000

/**
 * Reads files now, and again after each change while the process runs: in place, by a rename, or of a symbolic link, as Kubernetes replaces
 * the files of a Secret. Files that cannot be used then are logged once, and tried again until they can.
 * @returns what was made of their content at the start
 * @throws ConfigurationError that names the variables whose files cannot be read, or by `make`
 */
export async function followFiles<Name extends string, Made>(
  context: RepeatContext,
  { what, files, make, take, lookEveryMs = 5_000 }: FollowedFiles<Name, Made>,
): Promise<Made> {
  // Before the content, so that a change between the two is seen as one.
  let mark = await markOf(files)
  const first = await make(await contentsOf(files))
  repeat(context, what, lookEveryMs, async () => {
    let found = await markOf(files)
    if (found === mark) return
    for (let seen: string | undefined; seen !== found; found = await markOf(files)) {
      seen = found
      await sleep(Math.min(settled, lookEveryMs))
    }
    take(await make(await contentsOf(files)))
    mark = found
  })
  return first
}

/** A text that differs once a file was changed or replaced. A program can set the time of a change back, but not ctime. */
async function markOf(files: Readonly<Record<string, string>>): Promise<string> {
  const marks = await ofEach(files, async (path) => {
    const { dev, ino, size, ctimeNs } = await stat(path, { bigint: true })
    return [dev, ino, size, ctimeNs].join(' ')
  })
  return Object.values(marks).join('\n')
}

function contentsOf<Name extends string>(
  files: Readonly<Record<Name, string>>,
): Promise<Record<Name, Buffer>> {
  return ofEach(files, (path) => readFile(path))
}

async function ofEach<Name extends string, Value>(
  files: Readonly<Record<Name, string>>,
  read: (path: string) => Promise<Value>,
): Promise<Record<Name, Value>> {
  const entries = Object.entries(files) as [Name, string][]
  const results = await Promise.allSettled(entries.map(([, path]) => read(path)))
  const unreadable = results.flatMap((result, index) =>
    result.status === 'rejected' ? `${entries[index]?.[0]} cannot be read: ${result.reason.message}` : [],
  )
  if (unreadable.length > 0) throw new ConfigurationError(unreadable.sort().join('\n'))
  const values = results.map((result) => (result as PromiseFulfilledResult<Value>).value)
  return Object.fromEntries(entries.map(([name], index) => [name, values[index]])) as Record<Name, Value>
}
