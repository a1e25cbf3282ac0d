import { setTimeout as sleep } from 'node:timers/promises'
import { credentialsOf } from './oauth.ts'
import type { RegisteredClient, TestSystem } from './system.ts'

/** One request of a load, and its result. */
export type Attempt = {
  /** When it began, by performance.now(). */
  at: number
  /** How long it took, in milliseconds. */
  took: number
  /** 0 if the connection failed. */
  status: number
  /** The error code of the answer, or the error of the connection; empty for a token. */
  error: string
  retryAfter: string | null
}

/** Callers who ask for tokens, one request after the other, until they are stopped. */
export type Load = {
  attempts: Attempt[]
  /** Every token that was issued. */
  tokens: string[]
  stop(): Promise<void>
}

/**
 * Starts a light load of token requests.
 * @param client the client that asks
 * @param callers the largest number of requests under way
 * @param pauseMs the pause of a caller between two requests, in milliseconds
 */
export function startLoad(system: TestSystem, client: RegisteredClient, callers = 20, pauseMs = 40): Load {
  const attempts: Attempt[] = []
  const tokens: string[] = []
  let stopped = false

  async function ask(): Promise<void> {
    const at = performance.now()
    const attempt: Attempt = { at, took: 0, status: 0, error: '', retryAfter: null }
    try {
      const response = await system.form('/oauth/token', {
        grant_type: 'client_credentials',
        ...credentialsOf(client),
      })
      const text = await response.text()
      attempt.status = response.status
      attempt.retryAfter = response.headers.get('retry-after')
      const body = JSON.parse(text)
      if (response.status === 200) tokens.push(body.access_token)
      else attempt.error = body.error
    } catch (error) {
      attempt.status = 0
      attempt.error = String((error as Error).cause ?? error)
    }
    attempt.took = performance.now() - at
    attempts.push(attempt)
  }

  const running = Array.from({ length: callers }, async () => {
    while (!stopped) {
      await ask()
      await sleep(pauseMs)
    }
  })
  return {
    attempts,
    tokens,
    async stop() {
      stopped = true
      await Promise.all(running)
    },
  }
}
