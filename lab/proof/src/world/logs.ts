import { createReadStream, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Check, time } from '../checker/check.ts'
import { meets } from '../checker/operations.ts'
import type { Fault } from '../history/fault.ts'

/** The findings in the logs. */
export type LogFacts = {
  lines: number
  /** The times of all lines of level error, and of those that are not JSON, by service and message. */
  errors: Map<string, number[]>
  /** The files with a part of a confidential value, each with the message of the line. */
  leaks: string[]
}

/** The messages of a process that cannot reach what it needs. They are allowed only around a fault. */
const awayWords =
  /cannot answer this right now|closed the connection|connection error|start a transaction|UNAVAILABLE|DEADLINE_EXCEEDED|database|terminat|ECONN|EPIPE|timeout|timed out|shutting down|starting up|recovery mode|items of a batch failed|not everything could be finished|stopped waiting/i

const pieceLength = 12

/** The texts to search for: the beginning, the middle and the end of each confidential value. */
export function piecesOf(confidential: Iterable<string>): Set<string> {
  const pieces = new Set<string>()
  for (const text of confidential) {
    // All tokens begin alike, and so do their claims, so search for their signatures.
    const secret = text.startsWith('eyJ') ? (text.split('.')[2] ?? '') : text
    if (secret.length < pieceLength) continue
    const last = secret.length - pieceLength
    for (const start of [0, Math.floor(last / 2), last]) pieces.add(secret.slice(start, start + pieceLength))
  }
  return pieces
}

/** Whether a line contains any of the pieces. */
export function holdsPiece(line: string, pieces: ReadonlySet<string>): boolean {
  for (const [word] of line.matchAll(/[\w+/-]{12,}/g)) {
    for (let start = 0; start + pieceLength <= word.length; start += 1) {
      if (pieces.has(word.slice(start, start + pieceLength))) return true
    }
  }
  return false
}

/**
 * Reads all logs. PostgreSQL's own lines are searched for leaks, but its errors are not judged: it reports its crashes.
 * @param epoch the run's beginning, in milliseconds since the Unix epoch
 */
export async function readLogs(
  directory: string,
  pieces: ReadonlySet<string>,
  epoch: number,
): Promise<LogFacts> {
  const facts: LogFacts = { lines: 0, errors: new Map(), leaks: [] }
  for (const file of readdirSync(directory)) {
    const service = file.replace(/(-[ab])?\.log.*$/, '')
    for await (const line of createInterface({ input: createReadStream(join(directory, file)) })) {
      facts.lines += 1
      if (holdsPiece(line, pieces)) facts.leaks.push(`${file}: ${shapeOf(line)}`)
      const error = service === 'postgres' ? undefined : errorOf(line)
      // A line that an earlier run in the same system has logged was judged then.
      if (!error || error.at < epoch) continue
      const text = `${service}: ${error.text}`
      const times = facts.errors.get(text) ?? []
      times.push(error.at - epoch)
      facts.errors.set(text, times)
    }
  }
  return facts
}

/** The message and field names of a line, without anything that may be secret. */
function shapeOf(line: string): string {
  try {
    const { msg, detail, reason } = JSON.parse(line)
    return `${msg} (${Object.keys({ msg, detail, reason }).join(', ')})`
  } catch {
    return 'a line that is no JSON'
  }
}

function errorOf(line: string): { text: string; at: number } | undefined {
  if (line.trim() === '') return undefined
  try {
    const { level, time, msg, err } = JSON.parse(line)
    const why = err?.message ? ` (${String(err.message).slice(0, 160)})` : ''
    // Ports and durations differ each time.
    return level >= 50 ? { text: `${msg}${why}`.replace(/\d+(\.\d+)*/g, 'N'), at: time } : undefined
  } catch {
    return { text: `no JSON: ${line.slice(0, 120)}`, at: Number.NaN }
  }
}

/**
 * Whether a line reports that something was away, always around a fault. The time of a line is that of its process, whose clock may
 * have jumped.
 */
export function isExplained(text: string, times: readonly number[], faults: readonly Fault[]): boolean {
  const jumps = faults.filter(({ harm, target }) => harm === 'clock jumped' && text.startsWith(`${target}:`))
  const isAround = (at: number) => faults.some((fault) => meets(fault, { began: at, ended: at }, 10_000))
  return (
    awayWords.test(text) &&
    times.every((at) => isAround(at) || jumps.some(({ shift }) => isAround(at - shift)))
  )
}

/** Checks that a fault explains every error, and that no line contains anything confidential. */
export function checkLogs(
  { lines, errors, leaks }: LogFacts,
  faults: readonly Fault[],
  searched: number,
): Check[] {
  const unexplained = [...errors].filter(([text, times]) => !isExplained(text, times, faults))
  return [
    {
      name: 'every error in a log is explained by a fault',
      checked: [...errors.values()].reduce((sum, times) => sum + times.length, 0),
      failures: unexplained.map(([text, times]) => ({
        text: `${times.length} × ${text}, at last ${time(times.at(-1) ?? 0)}`,
      })),
    },
    {
      name: `no secret, token, code, password or cookie is in a log (${searched} searched for)`,
      checked: lines,
      failures: [...new Set(leaks)].map((text) => ({ text })),
    },
  ]
}
