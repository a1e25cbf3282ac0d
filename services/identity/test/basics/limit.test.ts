import { expect, test } from 'vitest'
import { limit } from '../../src/basics/limit.ts'

/** Work that ends when the test says so. */
function gates() {
  const started: number[] = []
  const ends = new Map<number, (error?: Error) => void>()
  const work = (name: number) => () =>
    new Promise<number>((resolve, reject) => {
      started.push(name)
      ends.set(name, (error) => (error ? reject(error) : resolve(name)))
    })
  return { started, work, end: (name: number, error?: Error) => ends.get(name)?.(error) }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('runs as much as allowed at once, queues the rest in order, and refuses more', async () => {
  const limited = limit({ maxRunning: 2, maxWaiting: 2 })
  const { started, work, end } = gates()
  const results = [1, 2, 3, 4].map((name) => limited(work(name)))
  await expect(limited(work(5))).rejects.toMatchObject({
    code: 'temporarily_unavailable',
    retryAfter: 1,
  })
  expect(started).toEqual([1, 2])
  end(2)
  await turn()
  expect(started).toEqual([1, 2, 3])
  const sixth = limited(work(6))
  end(1)
  await turn()
  expect(started).toEqual([1, 2, 3, 4])
  end(3)
  end(4)
  await turn()
  end(6)
  expect(await Promise.all([...results, sixth])).toEqual([1, 2, 3, 4, 6])
})

test('starts the next work when one fails', async () => {
  const limited = limit({ maxRunning: 1, maxWaiting: 1 })
  const { started, work, end } = gates()
  const failing = limited(work(1))
  const next = limited(work(2))
  await turn()
  end(1, new Error('failed'))
  await expect(failing).rejects.toThrow('failed')
  await turn()
  expect(started).toEqual([1, 2])
  end(2)
  expect(await next).toBe(2)
  const last = limited(work(3))
  await turn()
  end(3)
  expect(await last).toBe(3)
})
