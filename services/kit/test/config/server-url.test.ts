import { expect, test } from 'vitest'
import { ConfigurationError } from '../../src/config/config.ts'
import { readRedisUrl } from '../../src/config/server-url.ts'

const read = (text: string) => readRedisUrl('OAUTH2_REDIS_URL', text)

test.each(['redis://127.0.0.1', 'rediss://user:p%40ss@redis.example:6380/3', 'redis://:secret@[::1]:6379/'])(
  '%s is a Redis URL',
  (text) => {
    expect(read(text)).toBe(text)
  },
)

test.each([
  'redis://',
  'redis://:secret@/0',
  'redis://redis.example/zero',
  'redis://redis.example:port',
  'redis://redis.example?db=1',
  'redis://redis.example#0',
  'redis://:50%secret@redis.example',
])(
  'a URL that the Redis client would misread is refused, and the message shows no part of it: %s',
  (text) => {
    expect(() => read(text)).toThrow(
      new ConfigurationError(
        `OAUTH2_REDIS_URL must be a redis:// or rediss:// URL, as redis://:password@host:6379/0; its value has ${text.length} characters`,
      ),
    )
  },
)
