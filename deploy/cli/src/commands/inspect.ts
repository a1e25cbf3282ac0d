import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type Inspector, openInspector } from '../inspector.ts'
import { createFile, type NewFile } from '../new-file.ts'
import { type Terminal, written } from '../terminal.ts'

type Options = { pid: number; file?: string; seconds: number }

/** Takes a profile of a process, and writes it. @param seconds how long the process is watched */
type Profile = (inspector: Inspector, write: NewFile['write'], seconds: number) => Promise<unknown>

const kinds: [name: string, description: string, profile: Profile][] = [
  ['cpu', 'where it spends its time: a .cpuprofile', between('Profiler', 'start', 'stop')],
  [
    'allocations',
    'which functions allocate memory that stays in use: a .heapprofile',
    between('HeapProfiler', 'startSampling', 'stopSampling'),
  ],
  ['heap', 'all that is in its memory, each secret too: a .heapsnapshot. It stands still meanwhile', heap],
]

/** gatehouse inspect … */
export function inspectCommands(program: Command, { terminal }: CommandDeps): void {
  const inspect = program
    .command('inspect')
    .description('profiles of a running process of this pod or machine; needs no other credentials')
  for (const [name, description, profile] of kinds) {
    const command = inspect
      .command(name)
      .description(description)
      .addOption(new Option('--pid <pid>', 'the process').argParser(wholeNumber(1, 2 ** 31)).default(1))
      .option('--file <file>', 'where the profile goes instead of the standard output')
    if (profile !== heap)
      command.addOption(
        new Option('--seconds <seconds>', 'how long it is watched')
          .argParser(wholeNumber(1, 3_600))
          .default(30),
      )
    command.action(async ({ pid, file, seconds }: Options) => {
      const { write, close } = await outputOf(file, terminal)
      await using inspector = await openInspector(pid)
      await profile(inspector, write, seconds)
      await close()
    })
  }
}

/** A profile that is taken between two calls of a domain of the DevTools protocol. */
function between(domain: string, start: string, stop: string): Profile {
  return async (inspector, write, seconds) => {
    await inspector.call(`${domain}.enable`)
    await inspector.call(`${domain}.${start}`)
    await sleep(seconds * 1000)
    const { profile } = await inspector.call(`${domain}.${stop}`)
    await write(JSON.stringify(profile))
  }
}

async function heap(inspector: Inspector, write: NewFile['write']): Promise<void> {
  let written = Promise.resolve()
  inspector.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => {
    written = written.then(() => write(String(chunk)))
    // It is awaited below, after the last chunk.
    written.catch(() => {})
  })
  await inspector.call('HeapProfiler.takeHeapSnapshot')
  await written
}

/** @throws CommandFailure for a terminal, which shows no profile */
async function outputOf(file: string | undefined, { output }: Terminal): Promise<NewFile> {
  if (file !== undefined) return createFile(file)
  if ((output as { isTTY?: boolean }).isTTY)
    throw new CommandFailure('A profile is for a file: name one with --file.', exitCodes.usage)
  return { write: async (text) => void (await written(output, text)), close: async () => {} }
}

function wholeNumber(least: number, most: number) {
  return (text: string) => {
    const value = Number(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}
