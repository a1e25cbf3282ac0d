import { describe, expect, test } from 'vitest'
import { CommandFailure, exitCodes } from '../src/failure.ts'
import { atOnce } from '../src/import/at-once.ts'
import { deliver } from '../src/import/delivery.ts'
import type { Result } from '../src/import/prepared.ts'

const answer = (status: number, headers: Record<string, string> = {}) => ({
  error: { error: 'x', error_description: `status ${status}` },
  response: new Response(null, { status, headers }),
})
const stored = (items: readonly unknown[]) => ({
  data: { results: items.map(() => ({ outcome: 'created' as const })) },
  response: new Response(null, { status: 200 }),
})

/** Delivers 8 items to a server that behaves as told. @returns the results, and the pauses in seconds */
async function delivered(send: (items: number[], time: number) => unknown) {
  const pauses: number[] = []
  let time = 0
  const deps = {
    send: async (items: number[]) => {
      time += 1
      return (await send(items, time)) as never
    },
    wait: async (milliseconds: number) => pauses.push(milliseconds / 1_000),
  }
  return { results: await deliver([1, 2, 3, 4, 5, 6, 7, 8], deps), pauses }
}
const away = () => {
  throw new CommandFailure('does not answer', exitCodes.unavailable)
}

describe('a batch', () => {
  test('waits as long as a busy server says, and is sent again', async () => {
    const { results, pauses } = await delivered((items, time) =>
      time < 3 ? answer(429, { 'retry-after': '37' }) : stored(items),
    )
    expect(results).toHaveLength(8)
    expect(pauses).toEqual([37, 37])
  })

  test('is sent again, with longer and longer pauses, while the server is away', async () => {
    const { pauses } = await delivered((items, time) =>
      time < 4 ? away() : time < 7 ? answer(503) : stored(items),
    )
    expect(pauses).toEqual([0.5, 1, 2, 4, 8, 10])
  })

  test('that is sent again says what may have been lost with the answer, and one that is not says nothing', async () => {
    const exists = (items: readonly unknown[]) => ({
      data: { results: items.map(() => ({ outcome: 'exists' as const })) },
      response: new Response(null, { status: 200 }),
    })
    const outcomes = async (tries: number) => {
      let tried = 0
      const deps = {
        async send(items: number[]) {
          tried += 1
          return (tried < tries ? answer(503) : exists(items)) as never
        },
        wait: async () => undefined,
        afterLostAnswer: (item: number, result: Result): Result =>
          item === 2 ? { ...result, outcome: 'invalid', reason: 'lost' } : result,
      }
      return (await deliver([1, 2], deps)).map(({ outcome }) => outcome)
    }
    expect(await outcomes(1)).toEqual(['exists', 'exists'])
    expect(await outcomes(2)).toEqual(['exists', 'invalid'])
  })

  test('is given up when the server stays away', async () => {
    await expect(delivered(away)).rejects.toMatchObject({ exitCode: exitCodes.unavailable })
    await expect(delivered(() => answer(503))).rejects.toMatchObject({ exitCode: exitCodes.unavailable })
  })

  test.each([400, 413, 500])(
    'that is refused with %s is divided until the cause is alone',
    async (status) => {
      const sent: number[][] = []
      const { results } = await delivered((items) => {
        sent.push(items)
        return items.includes(6) ? answer(status) : stored(items)
      })
      const invalid = { outcome: 'invalid', reason: `status ${status}` }
      expect(results.map((result, index) => (index === 5 ? result : result.outcome))).toEqual(
        Array.from({ length: 8 }, (_, index) => (index === 5 ? invalid : 'created')),
      )
      expect(sent).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4], [5, 6, 7, 8], [5, 6], [5], [6], [7, 8]])
    },
  )

  test('ends the import when the credentials are refused', async () => {
    await expect(delivered(() => answer(401))).rejects.toMatchObject({ exitCode: exitCodes.notAuthorized })
    await expect(delivered(() => answer(403))).rejects.toMatchObject({ exitCode: exitCodes.notAuthorized })
  })

  test('ends the import when there is not a result for each item', async () => {
    await expect(delivered(() => stored([1, 2]))).rejects.toThrow('unexpected answer')
  })
})

describe('several pieces of work', () => {
  test('run at once, but no more than allowed', async () => {
    const { begin, end } = atOnce(3)
    let running = 0
    let most = 0
    for (let piece = 0; piece < 10; piece += 1)
      await begin(async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
      })
    await end()
    expect([most, running]).toEqual([3, 0])
  })

  test('begin no more after one of them failed, and the others end', async () => {
    const { begin, end } = atOnce(2)
    const ended: string[] = []
    await begin(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      ended.push('slow')
    })
    await begin(() => Promise.reject(new Error('the first')))
    await expect(begin(async () => void ended.push('late'))).rejects.toThrow('the first')
    await expect(end()).rejects.toThrow('the first')
    expect(ended).toEqual(['slow'])
  })
})
