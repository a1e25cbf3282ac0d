import { Refusal } from '@gatehouse/kit/errors'
import { limits as table } from '@gatehouse/proto/limits'
import { describe, expect, test } from 'vitest'
import { limitedGateway } from './limits.ts'

const most = table.token.perMinute
const header = (der: string) => ({ 'client-cert': `:${Buffer.from(der).toString('base64')}:` })
const form = (clientId: string) => `grant_type=client_credentials&client_id=${clientId}`
const certificateHeader = { name: 'Client-Cert', proxies: ['127.0.0.1'] }

test('strangers with certificates count by their address, however many they make', async () => {
  const refused = async () => {
    throw new Refusal('invalid_client')
  }
  const { send } = await limitedGateway({ certificateHeader, tokens: { issue: refused } })
  const statuses: number[] = []
  for (let index = 0; index <= most; index += 1) {
    const { status } = await send(
      'POST',
      '/oauth/token',
      form(`client_${index}`),
      header(`certificate ${index}`),
    )
    statuses.push(status)
  }
  expect(statuses.at(-1)).toBe(429)
})

test('a client whose certificate was right has a budget of its own from then on', async () => {
  const { send } = await limitedGateway({ certificateHeader })
  const ask = (clientId: string) => send('POST', '/oauth/token', form(clientId), header('certificate'))
  for (const clientId of ['client_a', 'client_b']) {
    const statuses: number[] = []
    for (let index = 0; index < most; index += 1) statuses.push((await ask(clientId)).status)
    expect(new Set(statuses)).toEqual(new Set([200]))
  }
  expect((await ask('client_a')).status).toBe(429)
})

describe('a certificate with the client_id of a public client, which proves nothing', () => {
  const proxy = '10.0.0.1'
  const behindProxy = { certificateHeader: { name: 'Client-Cert', proxies: [proxy] }, trustProxy: proxy }
  const code = 'grant_type=authorization_code&client_id=public_app&code=x&code_verifier=y'

  async function start(issue: (request: { ipAddress?: string }) => Promise<unknown>) {
    const { send } = await limitedGateway({ ...behindProxy, tokens: { issue: issue as never } })
    return async (address: string, certificate: string) => {
      const headers = { ...header(certificate), 'x-forwarded-for': address }
      return (await send('POST', '/oauth/token', code, headers, proxy)).status
    }
  }

  test('uses up nothing of what users at other addresses have', async () => {
    const ask = await start(async ({ ipAddress }) => {
      if (ipAddress?.startsWith('192.0.2.')) throw new Refusal('invalid_grant')
      return { accessToken: 'a', expiresIn: 1, scope: '' }
    })
    for (let index = 1; index <= most; index += 1)
      expect(await ask(`192.0.2.${index}`, `invented ${index}`)).toBe(400)
    expect(await ask('198.51.100.7', 'of a user')).toBe(200)
  })

  test('bounds nothing but their addresses where a proxy sends its own with every request', async () => {
    const ask = await start(async () => ({ accessToken: 'a', expiresIn: 1, scope: '' }))
    for (let index = 1; index <= 2 * most; index += 1)
      expect(await ask(`203.0.113.${index}`, 'of the proxy')).toBe(200)
  })

  test('counts by address and client_id', async () => {
    const ask = await start(async () => ({ accessToken: 'a', expiresIn: 1, scope: '' }))
    for (let index = 1; index <= most; index += 1)
      expect(await ask('203.0.113.1', `certificate ${index}`)).toBe(200)
    expect(await ask('203.0.113.1', 'another one')).toBe(429)
  })
})
