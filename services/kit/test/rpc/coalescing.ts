import { expect } from 'vitest'
import { type CoalesceOptions, coalesce } from '../../src/rpc/coalesce.ts'

/** Waits for the end of this turn of the event loop, when the items submitted in it have been sent. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
/** The default limits of a test's coalescer. */
export const limits = { maxItems: 100, maxConcurrent: 2, maxQueued: 1_000, timeoutMs: 1_000 }

/** A coalescer whose calls stay open until the test ends them. */
export function held(options: Partial<CoalesceOptions<string, string>> = {}) {
  const calls: { items: string[]; deadline: number; end(): void; fail(error: unknown): void }[] = []
  const asked = coalesce<string, string>({
    ...limits,
    run: (items, deadline) =>
      new Promise((resolve, reject) => {
        calls.push({
          items,
          deadline,
          end: () => resolve(items.map((item) => item.toUpperCase())),
          fail: reject,
        })
      }),
    ...options,
  })
  const ask = (item: string) => {
    const answer = asked(item)
    // A test that leaves a call open ignores the answer, which is then rejected late.
    answer.catch(() => undefined)
    return answer
  }
  const submit = Object.assign(ask, { state: asked.state })
  return { submit, calls, call: (index: number) => calls[index] ?? expect.unreachable(`no call ${index}`) }
}

/** The current outcome of each promise. */
export function outcomes(promises: readonly Promise<unknown>[]) {
  const states: string[] = promises.map(() => 'waits')
  for (const [index, promise] of promises.entries()) {
    promise.then(
      (value) => (states[index] = `got ${value}`),
      (error) => (states[index] = error.code ?? error.message),
    )
  }
  return states
}
