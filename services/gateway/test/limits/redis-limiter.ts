import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { onTestFinished } from 'vitest'
import { createRateLimiter } from '../../src/limits/rate-limiter.ts'
import { openRedis } from '../../src/limits/redis.ts'
import { limits } from './limits.ts'

/** A gateway's limiter, with the log of its Redis client and the number of requests it counted without Redis. */
export function openLimiter(url: string) {
  const { log, lines } = recordedLog()
  const redis = openRedis(url, log)
  onTestFinished(() => redis.client.disconnect())
  const alone = { count: 0 }
  const limiter = createRateLimiter({
    limits,
    now: Date.now,
    redis: {
      ...redis,
      failed(error) {
        alone.count += 1
        redis.failed(error)
      },
    },
  })
  return { limiter, client: redis.client, lines, alone, messages: () => lines.map(({ msg }) => msg) }
}

/** A limiter that is connected. */
export async function connected(url: string) {
  const opened = openLimiter(url)
  if (opened.client.status !== 'ready') await once(opened.client, 'ready')
  return opened
}

/** Waits until a limiter counts with Redis again. */
export async function untilCounting({ limiter, alone }: ReturnType<typeof openLimiter>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const before = alone.count
    await limiter.count('other', `probe-${attempt}`)
    if (alone.count === before) return
    await sleep(50)
  }
  throw new Error('Redis was not used again')
}

/** The log messages when Redis is away, and when it is back. */
export const lost = 'Redis does not answer: each gateway counts rate limits by itself'
export const back = 'Redis answers again'
