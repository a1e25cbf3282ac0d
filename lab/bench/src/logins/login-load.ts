import { setTimeout as sleep } from 'node:timers/promises'
import { createPasswordHashing } from '../../../../services/identity/src/passwords/password.ts'
import { type Credentials, issueForm } from '../answers.ts'
import { BenchFailure } from '../failure.ts'
import { send } from '../http.ts'
import { logInOnce, type People } from './login.ts'

/** How many people log in at once: enough to keep every core hashing, and few enough that none waits long. */
export const parallelLogins = 16
/** The time between two requests beside the logins, in milliseconds; half of them are of each kind. */
const pace = 10

/** Latencies in milliseconds. */
export type Latency = { count: number; p50: number; p99: number; max: number }

/** The result of logging in or hashing for some time. */
export type Rate = { perSecond: number; latency: Latency }

/** Sums up latencies. */
export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 }
}

/** Repeats something, with so many runs at once, and counts those that end in time. */
export async function repeated(
  once: () => Promise<unknown>,
  seconds: number,
  signal: AbortSignal,
): Promise<Rate> {
  const began = performance.now()
  const end = began + seconds * 1000
  const times: number[] = []
  const caller = async () => {
    for (;;) {
      const from = performance.now()
      if (from >= end || signal.aborted) return
      await once()
      const now = performance.now()
      if (now <= end) times.push(now - from)
    }
  }
  await Promise.all(Array.from({ length: parallelLogins }, caller))
  signal.throwIfAborted()
  return { perSecond: times.length / seconds, latency: latencyOf(times) }
}

let nextLogin = 0

/** Whole logins. */
export function runLogins(people: People, seconds: number, signal: AbortSignal): Promise<Rate> {
  return repeated(() => logInOnce(people, nextLogin++), seconds, signal)
}

/** Only the check of the passwords of as many people, by the identity service's own code: the bound. */
export function runHashes(people: People, seconds: number, signal: AbortSignal): Promise<Rate> {
  const hashing = createPasswordHashing()
  return repeated(() => hashing.matches(people.passwordHash, people.password), seconds, signal)
}

/** The latencies of other requests. */
export type Beside = {
  /** A token by client_credentials: the gateway and the token service. */
  tokens: Latency
  /** A page for somebody who is logged in: the gateway and the identity service, which hashes. */
  pages: Latency
}

/**
 * Sends single requests at a steady pace. A request that is sent late counts from the time at which it was due.
 * @param cookie the cookie of a user who is logged in
 */
export async function runBeside(
  { url }: People,
  credentials: Credentials,
  cookie: string,
  seconds: number,
  signal: AbortSignal,
): Promise<Beside> {
  const form = Object.fromEntries(new URLSearchParams(issueForm(credentials)))
  const times = { tokens: [] as number[], pages: [] as number[] }
  const requests = {
    tokens: () => send(`${url}/oauth/token`, { form }),
    pages: () => send(`${url}/auth/login`, { headers: { accept: 'text/html', cookie } }),
  }
  const began = performance.now()
  const one = async (kind: keyof typeof requests, due: number) => {
    const { status, text } = await requests[kind]()
    times[kind].push(performance.now() - due)
    if (status !== 200) throw new BenchFailure(`Beside the logins: ${kind} were answered ${status}`)
    if (kind === 'pages' && !text.includes('You are logged in'))
      throw new BenchFailure('Beside the logins: a session is not known')
  }
  const sent: Promise<void>[] = []
  for (let number = 0; number * pace < seconds * 1000 && !signal.aborted; number += 1) {
    const due = began + number * pace
    await sleep(Math.max(0, due - performance.now()))
    sent.push(one(number % 2 === 0 ? 'tokens' : 'pages', due))
  }
  await Promise.all(sent)
  signal.throwIfAborted()
  return { tokens: latencyOf(times.tokens), pages: latencyOf(times.pages) }
}
