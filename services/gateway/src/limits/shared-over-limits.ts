import type { OverLimit, SharedOverLimits } from './over-limits.ts'
import type { RedisClient } from './redis-client.ts'

const key = 'gatehouse:limit:over'
/** In seconds: as long as a window. */
const kept = 60
/** How many one gateway tells the others. */
const mostAnnounced = 200

/**
 * Shares over Redis who is over a limit: a field for each gateway.
 * @param instance names this gateway since its start
 */
export function shareOverLimits(client: RedisClient, instance: string): SharedOverLimits {
  return {
    async put(own) {
      if (own.length === 0) return void (await client.hdel(key, instance))
      await client.hset(key, instance, JSON.stringify(own.slice(0, mostAnnounced)))
      await client.expire(key, kept)
    },

    async ofOthers() {
      const announced = await client.hgetall(key)
      return Object.entries(announced).flatMap(([name, text]) =>
        name === instance ? [] : (JSON.parse(text) as OverLimit[]),
      )
    },
  }
}
