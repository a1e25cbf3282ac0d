import { gateway } from '@gatehouse/gateway/testing/gateway'
import { expect, test } from 'vitest'

const headers = { 'x-forwarded-for': '203.0.113.9, 192.0.2.7', 'user-agent': 'a\tbrowser' }

test('the log lines of requests have neither address nor browser', async () => {
  const { send, lines } = await gateway({ trustProxy: '127.0.0.1' })
  await send('GET', '/health', undefined, headers)
  expect(lines).toEqual([expect.objectContaining({ msg: 'request', route: '/health' })])
  expect(JSON.stringify(lines)).not.toMatch(/203\.0\.113\.9|192\.0\.2\.7|127\.0\.0\.1|browser/)
})

test('with OAUTH2_LOG_CALLERS they have both, as trusted proxies tell, short and visible', async () => {
  const { send, lines } = await gateway({ trustProxy: '127.0.0.1', logCallers: true })
  await send('GET', '/health', undefined, headers)
  await send('GET', '/nowhere', undefined, { ...headers, 'user-agent': 'x'.repeat(500) })
  expect(lines).toMatchObject([
    { route: '/health', ip_address: '192.0.2.7', user_agent: 'a\\u{9}browser' },
    { route: 'none', ip_address: '192.0.2.7', user_agent: 'x'.repeat(400) },
  ])
})

test('who sends no browser has none in the line', async () => {
  const { send, lines } = await gateway({ trustProxy: false, logCallers: true })
  await send('GET', '/health', undefined, { ...headers, 'user-agent': '' })
  expect(lines[0]).toMatchObject({ ip_address: '127.0.0.1' })
  expect(lines[0]).not.toHaveProperty('user_agent')
})
