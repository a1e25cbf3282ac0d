import type { Command } from 'commander'
import { dataOf } from '../api.ts'
import type { CommandDeps } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { pause, stopSignals } from '../interruption.ts'
import { readOwnFile, writeOwnFile } from '../own-file.ts'
import { written } from '../terminal.ts'

type ExportOptions = { follow?: boolean; since?: string; cursor?: string; cursorFile?: string }

/** In milliseconds: between two questions for new entries, and before another try after a failure, at first and at most. */
const askEvery = 2_000
const firstPause = 1_000
const longestPause = 60_000

const ofCursor = { content: 'the cursor', elsewhere: 'Set --cursor-file to a file of your own.' }

/** gatehouse audit export */
export function auditExportCommand(audit: Command, deps: CommandDeps): void {
  audit
    .command('export')
    .description(
      'write the audit log as lines of JSON, oldest first. Each has the cursor to go on behind it; with --follow it goes on when the server is back after an outage, and ends without a failure when it is interrupted, or its reader ends',
    )
    .option('--follow', 'go on with new entries')
    .option('--since <time>', 'only from this time on (RFC 3339)')
    .option('--cursor <cursor>', 'go on behind the line with this cursor')
    .option('--cursor-file <file>', 'go on behind the cursor in this file, and keep it there')
    .action((options: ExportOptions) => exportEntries(options, deps))
}

/** @throws CommandFailure when the server refuses, or when it is away and nobody follows */
async function exportEntries(
  { follow = false, since, cursorFile, ...given }: ExportOptions,
  { connect, terminal }: CommandDeps,
): Promise<void> {
  const { stopping, close: forget } = stopSignals(terminal.output)
  let cursor = given.cursor ?? (cursorFile ? await storedCursor(cursorFile) : undefined)
  let session: Awaited<ReturnType<typeof connect>> | undefined
  const end = async () => {
    await session?.close().catch(() => undefined)
    session = undefined
  }
  const step = async () => {
    session ??= await connect()
    const query = { ...(since && { since }), ...(cursor && { cursor }) }
    const part = await dataOf(session.api.GET('/admin/api/audit/feed', { params: { query } }))
    const lines = part.items.map((item) => `${JSON.stringify({ ...item.entry, cursor: item.cursor })}\n`)
    if (lines.length > 0 && !(await written(terminal.output, lines.join('')))) return false
    // Only now: whoever begins again with it must not miss a line.
    if (cursorFile && part.cursor !== cursor)
      await writeOwnFile(cursorFile, `${part.cursor}\n`, undefined, ofCursor)
    cursor = part.cursor
    return part.more
  }
  try {
    let failures = 0
    while (!stopping.aborted) {
      try {
        const more = await step()
        if (failures > 0) terminal.errors.write('The server is back.\n')
        failures = 0
        if (more) continue
        if (!follow) return
        await pause(askEvery, stopping)
      } catch (error) {
        if (!follow || !mayPass(error, session !== undefined)) throw error
        await end()
        if (failures === 0) terminal.errors.write(`${error.message} Trying again.\n`)
        const longest = Math.min(longestPause, firstPause * 2 ** Math.min(failures, 10))
        failures += 1
        await pause(longest * (0.5 + Math.random() / 2), stopping)
      }
    }
  } finally {
    forget()
    await end()
  }
}

/** Whether a failure may pass: the server is away, or the session or token that worked has expired. */
function mayPass(error: unknown, wasOpen: boolean): error is CommandFailure {
  if (!(error instanceof CommandFailure)) return false
  return error.exitCode === exitCodes.unavailable || (wasOpen && error.exitCode === exitCodes.notAuthorized)
}

async function storedCursor(file: string): Promise<string | undefined> {
  return (await readOwnFile(file, undefined, ofCursor))?.trim() || undefined
}
