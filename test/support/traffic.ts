import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempt } from './load.ts'
import { credentialsOf } from './oauth.ts'
import type { RegisteredClient, Requests } from './system.ts'

/** One thing that callers do. It throws an UnexpectedAnswer, or the error of the connection. */
export type Job = () => Promise<unknown>

/** One job that was done, and its result. Its `status` is 200 after success. */
export type JobAttempt = Attempt & { job: string }

/** Callers who do jobs, one after the other, until they are stopped. */
export type Traffic = {
  attempts: JobAttempt[]
  /** The attempts that began at or after a time of performance.now(). */
  since(moment: number): JobAttempt[]
  /** The failed ones among them. */
  failuresSince(moment: number): JobAttempt[]
  /** Resolves when everything that is under way now has ended; until then it is in no list. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** An answer with an unexpected status. */
export class UnexpectedAnswer extends Error {
  readonly status: number
  readonly retryAfter: string | null
  constructor(response: Response, text: string) {
    super(`${response.status} ${text.slice(0, 200)}`)
    this.status = response.status
    this.retryAfter = response.headers.get('retry-after')
  }
}

/** The text of an answer that has the status. @throws UnexpectedAnswer when it has another */
export async function textOf(answer: Promise<Response>, status = 200): Promise<string> {
  const response = await answer
  const text = await response.text()
  if (response.status !== status) throw new UnexpectedAnswer(response, text)
  return text
}

/** The jobs of a client without users: it gets tokens, introspects one, and revokes one. */
export function machineJobs({ form }: Requests, client: RegisteredClient, token: string) {
  const credentials = credentialsOf(client)
  const issue = async (): Promise<string> => {
    const text = await textOf(form('/oauth/token', { grant_type: 'client_credentials', ...credentials }))
    return JSON.parse(text).access_token
  }
  return {
    issue,
    async introspect() {
      const text = await textOf(form('/oauth/introspect', { token }))
      if (!text.startsWith('{"active":true')) throw new Error(`a good token is said to be ${text}`)
    },
    async revoke() {
      await textOf(form('/oauth/revoke', { token: await issue(), ...credentials }))
    },
  }
}

/**
 * Starts callers, each of whom does all jobs in turn.
 * @param jobs the jobs by their names
 * @param callers the number of callers
 * @param pauseMs the pause of a caller between two jobs, in milliseconds
 */
export function startTraffic(jobs: Record<string, Job>, callers = 16, pauseMs = 25): Traffic {
  const attempts: JobAttempt[] = []
  const entries = Object.entries(jobs)
  const underWay = new Set<Promise<void>>()
  let stopped = false

  async function attempt(job: string, work: Job): Promise<void> {
    const at = performance.now()
    const result = { job, at, took: 0, status: 200, error: '', retryAfter: null as string | null }
    try {
      await work()
    } catch (error) {
      const { status = 0, retryAfter = null } = error instanceof UnexpectedAnswer ? error : {}
      Object.assign(result, { status, retryAfter, error: String((error as Error).cause ?? error) })
    }
    result.took = performance.now() - at
    attempts.push(result)
  }

  const running = Array.from({ length: callers }, async (_, index) => {
    for (let turn = index; !stopped; turn += 1) {
      const work = attempt(...(entries[turn % entries.length] as [string, Job]))
      underWay.add(work)
      await work
      underWay.delete(work)
      await sleep(pauseMs)
    }
  })
  const since = (moment: number) => attempts.filter(({ at }) => at >= moment)
  return {
    attempts,
    since,
    failuresSince: (moment) => since(moment).filter(({ status }) => status !== 200),
    async settled() {
      await Promise.all(underWay)
    },
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}
