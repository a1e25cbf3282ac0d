import { Refusal } from '@gatehouse/kit/errors'
import { limits as table } from '@gatehouse/proto/limits'
import { expect, test } from 'vitest'
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
