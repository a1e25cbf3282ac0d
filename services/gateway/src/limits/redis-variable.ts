import { readRedisServers } from '@gatehouse/kit/config/redis-servers'
import { Type } from '@gatehouse/proto/typebox'

/** The variable of the Redis that all gateways share. */
export const redisVariable = {
  OAUTH2_REDIS_URL: Type.Optional(
    Type.String({
      pattern: '^rediss?(\\+(sentinel|cluster))?://.',
      rule: 'a redis:// or rediss:// URL, or one of sentinels or a cluster (redis+sentinel://, redis+cluster://)',
      secret: true,
      defaultText: 'none: limits are counted in the gateway process',
      description:
        'The Redis in which all gateways count requests together for the rate limits: one server, sentinels or a cluster (docs/operate/redis.md).',
      check({ OAUTH2_REDIS_URL: url }: { OAUTH2_REDIS_URL?: string }) {
        if (url !== undefined) readRedisServers('OAUTH2_REDIS_URL', url)
      },
    }),
  ),
}
