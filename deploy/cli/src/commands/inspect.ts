import type { Writable } from 'node:stream'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type Inspector, openInspector } from '../inspector.ts'
import { pause, stopSignals } from '../interruption.ts'
import { createFile, type NewFile } from '../new-file.ts'
import { type Terminal, written } from '../terminal.ts'

type Options = { pid: number; file?: string; seconds?: number }

/** Takes a profile of a process, and writes it. @param watch waits while the process is watched */
type Profile = (inspector: Inspector, write: NewFile['write'], watch: () => Promise<void>) => Promise<unknown>

const kinds: [name: string, description: string, profile: Profile][] = [
  ['cpu', 'where it spends its time: a .cpuprofile', between('Profiler', 'start', 'stop')],
  [
    'allocations',
    'which functions allocate memory that stays in use: a .heapprofile',
    between('HeapProfiler', 'startSampling', 'stopSampling'),
  ],
  ['heap', 'all that is in its memory, each secret too: a .heapsnapshot. It stands still meanwhile', heap],
]

/** How long the heap of a large process may take to be written, in seconds. */
const longestSnapshot = 600

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
    command.action(async ({ pid, file, seconds = longestSnapshot }: Options) => {
      const { write, close } = await outputOf(file, terminal)
      await using inspector = await openInspector(pid, seconds)
      await profile(inspector, write, () => watch(seconds, terminal.output))
      await close()
    })
  }
}

/** A profile that is taken between two calls of a domain of the DevTools protocol. */
function between(domain: string, start: string, stop: string): Profile {
  return async (inspector, write, watch) => {
    await inspector.call(`${domain}.enable`)
    await inspector.call(`${domain}.${start}`)
    await watch()
    const { profile } = await inspector.call(`${domain}.${stop}`)
    await write(JSON.stringify(profile))
  }
}

/** Waits some seconds, or until the command is interrupted: the profile of the time until then is written. */
async function watch(seconds: number, output: Writable): Promise<void> {
  const { stopping, close } = stopSignals(output)
  await pause(seconds * 1000, stopping)
  close()
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
