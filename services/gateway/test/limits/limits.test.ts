import { expect, test } from 'vitest'
import { errorOf, issuer } from '../../testing/gateway.ts'
import { limitedGateway } from './limits.ts'

type Gateway = Awaited<ReturnType<typeof limitedGateway>>
type Answer = Awaited<ReturnType<Gateway['send']>>

const good = 'grant_type=client_credentials&client_id=a&client_secret=right'

/** An answer's limit headers: the requests allowed, the requests left, and the seconds until the window ends. */
const standingOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`] ?? Number.NaN))

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

async function repeat(times: number, ask: (index: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let index = 0; index < times; index += 1) answers.push(await ask(index))
  return answers
}

function expectRefused(answer: Answer, limit: number, seconds = 60) {
  expect(answer.status).toBe(429)
  expect(standingOf(answer)).toEqual([limit, 0, seconds])
  expect(answer.headers['retry-after']).toBe(String(seconds))
}

/** Sends as many requests as the limit allows, checks the count of each, and that the next is refused. */
async function expectLimit(limit: number, ask: () => Promise<Answer>) {
  const answers = await repeat(limit, ask)
  expect(answers.map(({ status }) => status)).not.toContain(429)
  expect(answers.map(standingOf)).toEqual(answers.map((_, index) => [limit, limit - index - 1, 60]))
  const refused = await ask()
  expectRefused(refused, limit)
  return refused
}

test.each<[limit: number, what: string, ask: (gateway: Gateway) => Promise<Answer>]>([
  [20, 'token', ({ send }) => send('POST', '/oauth/token', good)],
  [100, 'introspect', ({ send }) => send('POST', '/oauth/introspect', 'token=x&client_id=a&client_secret=b')],
  [100, 'revoke', ({ send }) => send('POST', '/oauth/revoke', 'token=x&client_id=a&client_secret=b')],
  [10, 'authorize', ({ send }) => send('GET', '/oauth/authorize?client_id=a')],
  [10, 'authorize, spelled otherwise', ({ send }) => send('GET', '/oauth/%61uthorize?client_id=a')],
  [100, 'health', ({ send }) => send('GET', '/health')],
  [100, 'metrics', ({ send }) => send('GET', '/metrics')],
  [100, 'an unknown address', ({ send }) => send('GET', `/nowhere/${Math.random()}`)],
  [100, 'a method that is not allowed', ({ send }) => send('GET', '/oauth/token')],
  [10, 'authorize by HEAD', ({ send }) => send('HEAD', '/oauth/authorize?client_id=a')],
  [100, 'HEAD where only GET is', ({ send }) => send('HEAD', '/auth/login/google')],
  [100, 'OPTIONS', ({ send }) => send('OPTIONS', '/oauth/token')],
  [100, 'a registration', ({ send }) => send('POST', '/clients/register', {})],
  [100, 'a page', ({ send }) => send('GET', '/auth/login')],
])('%i requests a minute: %s', async (limit, _what, ask) => {
  const gateway = await limitedGateway()
  const refused = await expectLimit(limit, () => ask(gateway))
  if (refused.text !== '') expect(errorOf(refused)).toBe('rate_limit_exceeded')
})

test('all other paths share one budget, whatever the method and the spelling', async () => {
  const { send } = await limitedGateway()
  const ways = [
    () => send('GET', '/health'),
    () => send('HEAD', '/health'),
    () => send('OPTIONS', '/oauth/token'),
    () => send('GET', '/Health'),
    () => send('GET', '//health'),
    () => send('GET', '/health/'),
    () => send('POST', '/oauth/authorize', 'a=b'),
    () => send('PUT', '/oauth/token', 'a=b'),
    () => send('POST', '/oauth/revoke', 'token=x'),
    () => send('GET', '/nowhere'),
  ]
  const answers = await repeat(100, (index) => (ways[index % ways.length] as () => Promise<Answer>)())
  expect(answers.map((answer) => standingOf(answer)[1])).toEqual(answers.map((_, index) => 99 - index))
  for (const way of ways) expectRefused(await way(), 100)
})

test('a refused request is not performed, and a person gets a page', async () => {
  const { send, asked } = await limitedGateway()
  await repeat(12, () => send('GET', '/oauth/authorize?client_id=a'))
  expect(asked('beginAuthorization').length).toBe(10)
  await repeat(23, () => send('POST', '/oauth/token', good))
  expect(asked('issue').length).toBe(20)
  const page = await send('GET', '/oauth/authorize?client_id=a', undefined, { accept: 'text/html' })
  expectRefused(page, 10)
  expect(page.text).toContain('Too many requests')
})

test('the window begins with its first request and ends after a minute', async () => {
  const { send, clock } = await limitedGateway()
  await send('POST', '/oauth/token', good)
  clock.now += 30_500
  expect(standingOf(await send('POST', '/oauth/token', good))).toEqual([20, 18, 30])
  await repeat(18, () => send('POST', '/oauth/token', good))
  expectRefused(await send('POST', '/oauth/token', good), 20, 30)
  clock.now += 29_400
  expectRefused(await send('POST', '/oauth/token', good), 20, 1)
  clock.now += 100
  expect(standingOf(await send('POST', '/oauth/token', good))).toEqual([20, 19, 60])
})

test('a client has one budget, however it sends its credentials and from any address', async () => {
  const { send } = await limitedGateway()
  const grant = 'grant_type=client_credentials'
  const ways = [
    () => send('POST', '/oauth/token', `${grant}&client_id=a-1&client_secret=s_3-x`),
    () => send('POST', '/oauth/token', `${grant}&client_secret=%73_3%2Dx&client_id=a%2d1`),
    () => send('POST', '/oauth/token', grant, basic('a-1:s_3-x')),
    () => send('POST', '/oauth/token', grant, basic('a%2D1:s%5F3%2Dx')),
    () => send('POST', '/oauth/token', `${grant}&client_id=a-1`, basic('a-1:s_3-x')),
    () => send('POST', '/oauth/token', grant, basic('a-1:s_3-x'), '198.51.100.7'),
  ]
  const answers = await repeat(20, (index) => (ways[index % ways.length] as () => Promise<Answer>)())
  expect(answers.map((answer) => standingOf(answer)[1])).toEqual(answers.map((_, index) => 19 - index))
  for (const way of ways) expectRefused(await way(), 20)
})

test('clients at one address have a budget each, and a wrong secret spends none of theirs', async () => {
  const { send } = await limitedGateway()
  await repeat(21, () => send('POST', '/oauth/token', good.replace('right', 'wrong')))
  for (const client of ['a', 'b']) {
    const answer = await send('POST', '/oauth/token', good.replace('id=a', `id=${client}`))
    expect(standingOf(answer)).toEqual([20, 19, 60])
  }
})

test.each([
  ['no credentials', 'grant_type=client_credentials', {}],
  ['a client_id alone', 'grant_type=authorization_code&client_id=RANDOM', {}],
  ['an empty secret by Basic', 'grant_type=authorization_code', basic('RANDOM:')],
  ['another Authorization header', 'grant_type=client_credentials', { authorization: 'Digest RANDOM' }],
  ['credentials that contradict each other', 'client_id=RANDOM&client_secret=x', basic('b:y')],
  ['a body that is not a form', { a: 'RANDOM' }, {}],
  ['a malformed body', 'client_id=RANDOM&client_secret=%zz', {}],
  ['a repeated parameter', 'a=RANDOM&a=b', basic('RANDOM:b')],
  ['a body that is too large', `a=${'x'.repeat(70_000)}`, basic('RANDOM:b')],
])('%s: counted by address', async (_what, body, headers) => {
  const { send } = await limitedGateway()
  const random = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replaceAll('RANDOM', `r${Math.random()}`))
  await expectLimit(20, () => send('POST', '/oauth/token', random(body), random(headers)))
  expect((await send('POST', '/oauth/token', body, headers, '198.51.100.7')).status).not.toBe(429)
})

test('callers are counted by IPv4 address or by the /64 of their IPv6 address', async () => {
  const { send } = await limitedGateway()
  const left = async (address: string) => standingOf(await send('GET', '/health', undefined, {}, address))[1]
  expect(await left('2001:db8:1:2::1')).toBe(99)
  expect(await left('2001:db8:1:2:ffff:eeee:dddd:cccc')).toBe(98)
  expect(await left('2001:db8:1:3::1')).toBe(99)
  expect(await left('192.0.2.1')).toBe(99)
  expect(await left('::ffff:192.0.2.1')).toBe(98)
  expect(await left('192.0.2.2')).toBe(99)
})

const spoofs = [
  'x-forwarded-for',
  'forwarded',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'x-originating-ip',
]

test.each(spoofs)('a caller who sends a forged %s is counted by their real address', async (name) => {
  const { send } = await limitedGateway()
  const answers = await repeat(3, (index) =>
    send('GET', '/health', undefined, {
      [name]: name === 'forwarded' ? `for=1.1.1.${index}` : `1.1.1.${index}`,
    }),
  )
  expect(answers.map((answer) => standingOf(answer)[1])).toEqual([99, 98, 97])
})

test('with one trusted proxy, the last address of X-Forwarded-For counts', async () => {
  const { send } = await limitedGateway({ trustProxy: (_address, hop) => hop < 1 })
  const left = async (forwarded: string) =>
    standingOf(await send('GET', '/health', undefined, { 'x-forwarded-for': forwarded }))[1]
  expect(await left('203.0.113.1')).toBe(99)
  expect(await left('203.0.113.2')).toBe(99)
  expect(await left('9.9.9.9, 203.0.113.1')).toBe(98)
  expect(await left('8.8.8.8, 9.9.9.9,203.0.113.1')).toBe(97)
})

test('after 100 failed authentications an address is refused, except for credentials that were right', async () => {
  const { Refusal } = await import('@gatehouse/kit/errors')
  const issue = async ({ presented }: { presented: { credentials: { clientSecret: string }[] } }) => {
    if (presented.credentials[0]?.clientSecret !== 'right') throw new Refusal('invalid_client')
    return { accessToken: 'a.b.c', expiresIn: 600, scope: 'read' }
  }
  const { send, asked, clock } = await limitedGateway({ tokens: { issue: issue as never } })
  const guess = (index: number, address?: string) =>
    send('POST', '/oauth/token', good.replace('right', `guess-${index}`), {}, address)
  expect((await send('POST', '/oauth/token', good)).status).toBe(200)
  const answers = await repeat(100, guess)
  expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(401))
  clock.now += 10_000

  const performed = asked('issue').length
  expectRefused(await guess(100), 100, 50)
  expectRefused(await send('POST', '/oauth/token', good.replace('id=a', 'id=b')), 100, 50)
  expectRefused(await send('POST', '/oauth/introspect', 'token=x'), 100, 50)
  expect(asked('issue').length).toBe(performed)
  // A client whose credentials were right a moment ago continues, within its own limit.
  expect(standingOf(await send('POST', '/oauth/token', good))).toEqual([20, 18, 50])
  // Other addresses and other endpoints are not affected.
  expect((await guess(0, '198.51.100.7')).status).toBe(401)
  expect((await send('GET', '/health')).status).toBe(200)

  clock.now += 50_001
  expect((await guess(101)).status).toBe(401)
})

test('a request with an access token is counted by the token, and a guessed token is a failed authentication', async () => {
  const { Refusal } = await import('@gatehouse/kit/errors')
  const introspect = async ({ presented }: { presented: { token?: { token: string } } }) => {
    if (presented.token?.token !== 'right') throw new Refusal('invalid_token')
    return undefined
  }
  const { send } = await limitedGateway({ tokens: { introspect: introspect as never } })
  const ask = (token: string) =>
    send('POST', '/oauth/introspect', 'token=x', { authorization: `Bearer ${token}` })
  expect(standingOf(await ask('right'))).toEqual([100, 99, 60])
  const guesses = await repeat(100, (index) => ask(`guess-${index}`))
  expect(guesses.map(({ status }) => status)).toEqual(Array(100).fill(401))
  expectRefused(await ask('guess-100'), 100)
  expect(standingOf(await ask('right'))).toEqual([100, 98, 60])
})

test.each([
  ['an unknown grant', '/oauth/token', 'grant_type=x'],
  ['no grant', '/oauth/token', ''],
  ['no token', '/oauth/introspect', ''],
])(
  'new credentials for each request count as wrong ones if they are not checked: %s',
  async (_what, path, body) => {
    const { send } = await limitedGateway()
    const ask = (index: number) => send('POST', path, `${body}&client_id=a&client_secret=${index}`)
    const answers = await repeat(100, ask)
    expect(answers.map(({ status }) => status)).toEqual(Array(100).fill(400))
    expectRefused(await ask(100), 100)
  },
)

test('a client with right credentials has no failed authentication, whatever else is wrong with its request', async () => {
  const { Refusal } = await import('@gatehouse/kit/errors')
  const { send } = await limitedGateway({
    tokens: { issue: () => Promise.reject(new Refusal('invalid_scope')) },
  })
  const ask = (body: string, index: number) =>
    send('POST', '/oauth/token', `grant_type=${body}&client_id=${index}&client_secret=b`)
  await repeat(120, (index) => ask('client_credentials', index))
  await repeat(120, (index) => ask('x', index))
  expect((await ask('client_credentials', 1_000)).status).toBe(400)
})

test.each([
  ['/oauth/token', 21],
  ['/oauth/revoke', 101],
  ['/clients/register', 101],
])('a 429 at %s can be read by a page of an allowed origin, and of no other', async (path, count) => {
  const origin = 'https://app.example'
  const { send } = await limitedGateway({ corsOrigins: [origin] })
  const answers = await repeat(count, () => send('POST', path, good, { origin }))
  expect(answers.at(-1)?.status).toBe(429)
  expect(answers.at(-1)?.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': expect.stringContaining('retry-after'),
    vary: 'Origin',
  })
  const other = await send('POST', path, good, { origin: 'https://evil.example' })
  expect(other.status).toBe(429)
  expect(other.headers).not.toHaveProperty('access-control-allow-origin')
})

test('forms that send a mail have a limit of their own, which leaves authorization requests alone', async () => {
  const { send } = await limitedGateway()
  const headers = { origin: issuer, 'sec-fetch-site': 'same-origin' }
  const answers = await repeat(11, () => send('POST', '/auth/forgot', 'username=ann', headers))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await send('GET', '/oauth/authorize?client_id=x')).status).not.toBe(429)
})
