import { type DestinationStream, pino } from 'pino'

/** In bytes. More than this does not wait for room on a full disk. */
const mostKept = 4 * 1024 * 1024

/**
 * Standard output, written once at the end of each turn of the event loop: one write per line would take a tenth of
 * the time of a small request.
 *
 * A full disk ends no process: the lines that find no room are dropped, which standard error is told once, and the log as soon as there
 * is room again.
 * @param service the name that these lines begin with or carry
 */
export function standardOutputByTurn(service: string): DestinationStream {
  // Keeps the rest of a line that was written in part, so that no later line is added to a half one.
  const output = pino.destination({ dest: 1, sync: true, maxLength: mostKept })
  let lines = ''
  let failure: string | undefined
  let dropped = 0
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (failure !== undefined) return
    failure = error.code ?? error.message
    // It may be on the same disk.
    if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {})
    process.stderr.write(
      `${service}: the log cannot be written (${failure}); lines are dropped until it can\n`,
    )
    output.once('drain', () => {
      const msg = `the log could not be written (${failure}) for a while; ${dropped} lines were dropped`
      failure = undefined
      dropped = 0
      output.write(`${JSON.stringify({ level: 40, time: Date.now(), service, msg })}\n`)
    })
  })
  output.on('drop', (text: string) => {
    dropped += text.split('\n').length - 1
  })
  const flush = () => {
    // Not flushSync(), which also waits for the disk.
    output.write(lines)
    lines = ''
  }
  process.on('exit', () => lines && flush())
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
    },
  }
}
