import { Agent } from 'node:http'
import { expectThat } from './findings.ts'
import { type Attempt, askForToken, type Client, type Way } from './gateway.ts'

/** A load of token requests, each on a connection of its own, at a steady rate. */
export type Load = { attempts: Attempt[]; stop(): Promise<Attempt[]> }

/**
 * Starts one, for ten minutes at most.
 * @param rate requests a second
 * @param way by default through the Service
 */
export function startLoad(client: Client, rate = 20, way?: Way): Load {
  const attempts: Attempt[] = []
  const under = new Set<Promise<void>>()
  const end = Date.now() + 600_000
  const timer = setInterval(() => {
    if (Date.now() > end) clearInterval(timer)
    const asked = askForToken(client, way && { way }).then((attempt) => {
      attempts.push(attempt)
      under.delete(asked)
    })
    under.add(asked)
  }, 1_000 / rate)
  return {
    attempts,
    async stop() {
      clearInterval(timer)
      await Promise.all(under)
      return attempts
    },
  }
}

/** A heavy load: callers who ask again as soon as they have their answer, on connections that they keep. */
export function startCallers(client: Client, callers: number): Load {
  const attempts: Attempt[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  let stopped = false
  const end = Date.now() + 600_000
  const running = Array.from({ length: callers }, async () => {
    while (!stopped && Date.now() < end) attempts.push(await askForToken(client, { agent }))
  })
  return {
    attempts,
    async stop() {
      stopped = true
      await Promise.all(running)
      agent.destroy()
      return attempts
    },
  }
}

/** Those that got no token. */
export const failures = (attempts: Attempt[]) => attempts.filter(({ status }) => status !== 200)

/**
 * @returns a load in words: how many requests, how many failed, how long they took
 */
export function inWords(attempts: Attempt[]): string {
  const times = attempts.map(({ took }) => took).sort((a, b) => a - b)
  const at = (part: number) =>
    `${Math.round(times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0)} ms`
  const slowest = `half within ${at(0.5)}, 99 % within ${at(0.99)}, all within ${at(1)}`
  return `${attempts.length} requests, ${failures(attempts).length} failed; ${slowest}`
}

/** @throws Error with the first failures if a request failed */
export function expectNoFailure(attempts: Attempt[], during: string): void {
  const failed = failures(attempts)
  const shown = failed
    .slice(0, 5)
    .map(({ at, status, error }) => `${new Date(at).toISOString()} ${status} ${error}`)
  expectThat(failed.length === 0, `${during}: ${inWords(attempts)}\n${shown.join('\n')}`)
  expectThat(attempts.length > 0, `${during}: nothing was asked`)
}
