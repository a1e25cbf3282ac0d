import { hasRedis, startRedis } from '@gatehouse/test/redis'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { createKnownCredentials } from '../src/limits/known-credentials.ts'
import { createRateLimiter } from '../src/limits/rate-limiter.ts'
import { openRedis } from '../src/limits/redis.ts'
import { ann, authorizePath, cookie, cookiesOf, locationOf, session } from './browser.ts'
import { type Changes, gateway } from './gateway.ts'
import { limitedGateway, limits } from './limits.ts'

type Gateway = Pick<Awaited<ReturnType<typeof gateway>>, 'send'>

let logins = 0
/** Where every login succeeds, each with a session of its own, and the user agreed long ago. */
const people: Changes = {
  identity: {
    async logIn() {
      logins += 1
      const sessionSecret = String(logins).padStart(43, 's')
      return { outcome: { $case: 'session', value: { sessionSecret, expiresAt: new Date(2e12), user: ann } } }
    },
    getSession: async () => ({ session: { ...session, user: ann } }),
    getConsent: async () => ({ scope: 'read' }),
  },
}

/** Logs in by the form for a request. @returns the cookies, by name, and where the browser is sent */
async function logIn({ send }: Gateway, path: string) {
  const form = new URLSearchParams({ username: 'ann', password: 'x', return_to: path }).toString()
  const answer = await send('POST', '/auth/login', form)
  const cookies = Object.fromEntries(cookiesOf(answer).map(({ name, value }) => [name, value]))
  return { cookies, path: locationOf(answer) }
}

const sent = (cookies: Record<string, string | undefined>) => ({
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
})

/** Which limit an answer was counted in: 10 of authorization requests, 100 of all others. */
const limitOf = ({ headers }: Awaited<ReturnType<Gateway['send']>>) => Number(headers['x-ratelimit-limit'])

test('ten people at one address may log in within a minute, and the eleventh may not', async () => {
  const gate = await limitedGateway(people)
  for (let person = 1; person <= 10; person += 1) {
    const path = authorizePath({ state: `state-${person}` })
    expect((await gate.send('GET', path)).status).toBe(302)
    const { cookies, path: back } = await logIn(gate, path)
    const answer = await gate.send('GET', back, undefined, sent(cookies))
    expect([answer.status, limitOf(answer)]).toEqual([302, 100])
    expect(locationOf(answer)).toContain(`state=state-${person}`)
  }
  expect((await gate.send('GET', authorizePath())).status).toBe(429)
})

test('a login through a provider goes on uncounted, too', async () => {
  const path = authorizePath()
  const value = {
    session: { sessionSecret: 's'.repeat(43), expiresAt: new Date(2e12), user: ann },
    returnTo: path,
    created: false,
  }
  const finishSocialLogin = async () => ({ outcome: { $case: 'login', value } as const })
  const { send } = await limitedGateway({ ...people, identity: { ...people.identity, finishSocialLogin } })
  const back = await send('GET', '/auth/callback/google?code=c&state=s')
  const cookies = Object.fromEntries(cookiesOf(back).map(({ name, value }) => [name, value]))
  expect(limitOf(await send('GET', locationOf(back), undefined, sent(cookies)))).toBe(100)
})

describe('what is no login that goes on is counted as an authorization request', () => {
  afterEach(() => vi.useRealTimers())
  const path = authorizePath()
  const note = (value: string | undefined) => sent({ gatehouse_resumed: value })

  test('the same note again', async () => {
    const gate = await limitedGateway(people)
    const { cookies } = await logIn(gate, path)
    const ask = async () => limitOf(await gate.send('GET', path, undefined, sent(cookies)))
    expect([await ask(), await ask(), await ask()]).toEqual([100, 10, 10])
    // Not even when the counters' window is over.
    gate.clock.now += 60_001
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 })
    expect(await ask()).toBe(10)
  })

  test.each<[string, (gate: Gateway, cookies: Record<string, string>) => Promise<number>]>([
    [
      'another query',
      async ({ send }, cookies) => limitOf(await send('GET', `${path}&x=y`, undefined, sent(cookies))),
    ],
    [
      'another method',
      async ({ send }, cookies) => limitOf(await send('HEAD', path, undefined, sent(cookies))),
    ],
    [
      'no session',
      async ({ send }, { gatehouse_resumed }) =>
        limitOf(await send('GET', path, undefined, note(gatehouse_resumed))),
    ],
    [
      'somebody else’s session',
      async ({ send }, { gatehouse_resumed }) => {
        const other = {
          cookie: `${cookie('gatehouse_session', 'o'.repeat(43))}; gatehouse_resumed=${gatehouse_resumed}`,
        }
        return limitOf(await send('GET', path, undefined, other))
      },
    ],
    [
      'a note that was changed to last longer',
      async ({ send }, cookies) => {
        const [, seal] = cookies.gatehouse_resumed?.split('.') ?? []
        return limitOf(
          await send(
            'GET',
            path,
            undefined,
            sent({ ...cookies, gatehouse_resumed: `9999999999999.${seal}` }),
          ),
        )
      },
    ],
    [
      'a note that is over',
      async ({ send }, cookies) => {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_001 })
        return limitOf(await send('GET', path, undefined, sent(cookies)))
      },
    ],
    [
      'a note that nobody made',
      async ({ send }, cookies) =>
        limitOf(await send('GET', path, undefined, sent({ ...cookies, gatehouse_resumed: '.' }))),
    ],
  ])('%s', async (_, ask) => {
    const gate = await limitedGateway(people)
    const { cookies } = await logIn(gate, path)
    expect(cookies).toHaveProperty('gatehouse_resumed')
    expect(await ask(gate, cookies)).toBe(10)
  })

  test('the note of a login that was for something else', async () => {
    const gate = await limitedGateway(people)
    const { cookies } = await logIn(gate, '/account')
    expect(cookies).not.toHaveProperty('gatehouse_resumed')
  })
})

test.skipIf(!hasRedis)('over several gateways with one Redis a note is good once', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const open = async () => {
    const { client, answered, failed } = openRedis(redis.url, recordedLog().log)
    onTestFinished(() => client.disconnect())
    await vi.waitUntil(() => client.status === 'ready')
    const limiter = createRateLimiter({ limits, now: Date.now, redis: { client, answered, failed } })
    return gateway({ ...people, limits: { limiter, known: createKnownCredentials(Date.now) } })
  }
  const first = await open()
  const second = await open()
  const { cookies, path } = await logIn(first, authorizePath())
  const asked = await Promise.all(
    [second, first, second].map(({ send }) => send('GET', path, undefined, sent(cookies))),
  )
  expect(asked.map(limitOf).sort((one, other) => one - other)).toEqual([10, 10, 100])
})
