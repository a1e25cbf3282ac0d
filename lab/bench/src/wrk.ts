import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { program } from '@gatehouse/test/programs/programs'
import { BenchFailure } from './failure.ts'

/** The result of a load. */
export type Load = {
  requests: number
  perSecond: number
  /** Milliseconds. wrk corrects them for the requests that a slow answer kept it from sending (coordinated omission). */
  latency: { p50: number; p90: number; p99: number; max: number }
  /** The mean length of an answer with its headers, in bytes. */
  answerBytes: number
}

const script = fileURLToPath(new URL('load.lua', import.meta.url))

/**
 * Sends bodies with POST as fast as they are answered, from a separate process with one thread.
 * @param options.formsFile a file with one body in each line, which are sent in turn
 * @throws BenchFailure when wrk is missing, or any request was refused, cut off or, unless that may be, not answered within 2 s
 */
export async function runWrk(options: {
  url: string
  formsFile: string
  /** By default the media type of forms. */
  contentType?: string
  seconds: number
  connections: number
  /** Whether a request may take longer than 2 s: that of a server which is slow is not wrong. */
  mayBeLate?: boolean
  signal: AbortSignal
}): Promise<Load> {
  const { url, formsFile, contentType = 'application/x-www-form-urlencoded' } = options
  const { seconds, connections, signal } = options
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url, '--', formsFile, contentType]
  const output = await run(args, signal)
  const report = JSON.parse(output.split('\n').findLast((line) => line.startsWith('{')) ?? '{}')
  const failures = [
    [report.refused, 'answered with an error status'],
    [report.broken, 'cut off'],
    [options.mayBeLate ? 0 : report.timedOut, 'not answered within 2 s'],
  ].filter(([count]) => count > 0)
  if (failures.length > 0) {
    const what = failures.map(([count, how]) => `${count} ${how}`).join(', ')
    throw new BenchFailure(`Of ${report.requests} requests to ${new URL(url).pathname}: ${what}`)
  }
  if (!(report.requests > 0)) throw new BenchFailure(`wrk had no answer from ${url}: ${output.trim()}`)
  return {
    requests: report.requests,
    perSecond: report.requests / (report.duration / 1e6),
    latency: {
      p50: report.p50 / 1000,
      p90: report.p90 / 1000,
      p99: report.p99 / 1000,
      max: report.max / 1000,
    },
    answerBytes: report.bytes / report.requests,
  }
}

/**
 * Installs wrk if it is missing, on Debian and as root.
 * @returns its version
 * @throws BenchFailure when there is no wrk
 */
export async function prepareWrk(): Promise<string> {
  if (!(await program('wrk')))
    throw new BenchFailure('wrk makes the load and is missing: apt-get install wrk')
  // It prints its version with its usage, and exits with a failure.
  const text = await run(['-v'], undefined, [0, 1])
  return /^wrk (?:\S+\/)?(\S+)/.exec(text)?.[1] ?? 'unknown'
}

async function run(args: string[], signal?: AbortSignal, codes = [0]): Promise<string> {
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', reject)
  })
  if (!codes.includes(code ?? -1)) throw new BenchFailure(`wrk ended with ${code}: ${output.trim()}`)
  return output
}
