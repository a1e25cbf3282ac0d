import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../../test/support/servers/redis.ts'
import { redis } from '../../src/backends/redis.ts'
import { backendContract } from './contract.ts'
import { someEvents } from './some-events.ts'

describe.skipIf(!hasRedis)('with a real Redis', () => {
  const secret = 'not-for-the-log'
  const stream = 'some:events'
  let server: TestRedis
  backendContract({
    kind: redis,
    secret,
    environment: () => ({ OAUTH2_EVENTS_REDIS_URL: server.url, OAUTH2_EVENTS_REDIS_STREAM: stream }),
    header: (attribute) => attribute,
    async prepare() {
      const dir = await mkdtemp(join(tmpdir(), 'gatehouse-redis-'))
      server = await startRedis({ requirepass: secret, appendonly: 'yes', appendfsync: 'always', dir })
      await server.stop()
      let running = false
      return {
        ...server,
        async start() {
          if (!running) await server.start()
          running = true
        },
        async kill() {
          await server.kill()
          running = false
        },
        async received() {
          const client = new Redis(server.url)
          const entries = await client.xrange(stream, '-', '+')
          client.disconnect()
          return entries.map(([, fields]) => {
            const names = fields.filter((_, index) => index % 2 === 0)
            const { data = '', ...headers } = Object.fromEntries(
              names.map((name, index) => [name, fields[2 * index + 1]]),
            )
            return {
              headers: headers as Record<string, string>,
              contentType: headers.datacontenttype,
              body: data,
            }
          })
        },
        async close() {
          await server.kill()
          await rm(dir, { recursive: true })
        },
      }
    },
    also({ deliver, reasonOfFailure }) {
      test('keeps about as many events as configured', async () => {
        await deliver(someEvents(1_000), {
          OAUTH2_EVENTS_REDIS_MAXLEN: '100',
          OAUTH2_EVENTS_REDIS_STREAM: 'short',
        })
        const [length] = await server.ask('XLEN short')
        expect(Number(length?.slice(1))).toBeGreaterThanOrEqual(100)
        expect(Number(length?.slice(1))).toBeLessThan(300)
      })

      test('logs that Redis refuses the password, without the password', async () => {
        const url = server.url.replace(secret, 'wrong-password')
        const reason = await reasonOfFailure({ OAUTH2_EVENTS_REDIS_URL: url })
        expect(reason).toMatch(/^WRONGPASS/)
        expect(reason).not.toContain('wrong-password')
      })
    },
  })
})
