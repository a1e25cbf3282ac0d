import { expect, test } from 'vitest'
import { gateway } from '../../../testing/gateway.ts'

test.each([undefined, ''])('a pushed request with the body %j is the fault of its sender', async (body) => {
  const { send } = await gateway({ pushedRequestMode: 'on' })
  const authorization = `Basic ${Buffer.from('client_a:secret').toString('base64')}`
  const { status } = await send('POST', '/oauth/par', body, { authorization })
  expect(status).toBeLessThan(500)
})
