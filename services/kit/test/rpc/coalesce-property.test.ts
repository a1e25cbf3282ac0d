import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coalesce } from '../../src/rpc/coalesce.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const limits = { maxQueued: 1_000, timeoutMs: 30_000 }

test('whatever the sizes, delays and failures, every item gets its own answer and every slot is freed', async () => {
  const item = fc.record({ turns: fc.nat(4), fate: fc.constantFrom('ok', 'ok', 'ok', 'fails', 'spoils') })
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { maxLength: 40 }),
      fc.record({
        maxItems: fc.integer({ min: 1, max: 7 }),
        splitAbove: fc.integer({ min: 1, max: 9 }),
        maxConcurrent: fc.integer({ min: 1, max: 3 }),
      }),
      fc.infiniteStream(fc.nat(2)),
      async (items, size, durations) => {
        let running = 0
        const submit = coalesce<number, string>({
          ...limits,
          ...size,
          mayIsolate: () => true,
          run: async (indexes) => {
            running += 1
            expect(running).toBeLessThanOrEqual(size.maxConcurrent)
            expect(indexes.length).toBeLessThanOrEqual(size.maxItems)
            for (let left = durations.next().value ?? 0; left > 0; left -= 1) await turn()
            running -= 1
            const spoiler = indexes.find((index) => items[index]?.fate === 'spoils')
            if (spoiler !== undefined) throw new Error(`spoilt by ${spoiler}`)
            return indexes.map((index) =>
              items[index]?.fate === 'fails' ? new Error(`failure of ${index}`) : `answer to ${index}`,
            )
          },
        })
        const answers = await Promise.all(
          items.map(async ({ turns }, index) => {
            for (let left = turns; left > 0; left -= 1) await turn()
            return submit(index).catch((error: Error) => error.message)
          }),
        )
        const own = { ok: 'answer to', fails: 'failure of', spoils: 'spoilt by' }
        expect(answers).toEqual(items.map(({ fate }, index) => `${own[fate as 'ok']} ${index}`))
        await turn()
        expect(submit.state()).toEqual({ queued: 0, running: 0 })
      },
    ),
    { numRuns: 150 },
  )
})
