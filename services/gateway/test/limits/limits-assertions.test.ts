import { Refusal } from '@gatehouse/kit/errors'
import { jwtBearerAssertion } from '@gatehouse/proto/client-authentication'
import { expect, test } from 'vitest'
import { limitedGateway } from './limits.ts'

const [here, there] = ['192.0.2.1', '198.51.100.7']

/** A gateway where an assertion is right if its signature is, and a count of all assertions, each of which is another one. */
async function start() {
  let made = 0
  const issue = async ({ presented }: { presented: { assertion: string } }) => {
    if (!presented.assertion.endsWith('.right')) throw new Refusal('invalid_client')
    return { accessToken: 'a.b.c', expiresIn: 600, scope: 'read' }
  }
  const gateway = await limitedGateway({
    tokens: { issue: issue as never },
    authenticationMethods: ['private_key_jwt'],
  })
  const ask = async (address: string, sub: string, signature = 'right') => {
    made += 1
    const payload = Buffer.from(JSON.stringify({ sub, jti: String(made) })).toString('base64url')
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_assertion: `e30.${payload}.${signature}`,
      client_assertion_type: jwtBearerAssertion,
    })
    return (await gateway.send('POST', '/oauth/token', form.toString(), {}, address)).status
  }
  return { ...gateway, ask }
}

async function repeat(times: number, ask: (index: number) => Promise<number>): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < times; index += 1) statuses.push(await ask(index))
  return statuses
}

test('a client has one budget at all of its addresses, though each of its assertions is another one', async () => {
  const { ask } = await start()
  expect(await repeat(10, () => ask(here, 'client_a'))).toEqual(Array(10).fill(200))
  expect(await repeat(10, () => ask(there, 'client_a'))).toEqual(Array(10).fill(200))
  for (const address of [here, there, '203.0.113.9']) expect(await ask(address, 'client_a')).toBe(429)
  expect(await ask(there, 'client_b')).toBe(200)
})

test('strangers who invent assertions for a client use up only what their own address has', async () => {
  const { ask, asked } = await start()
  expect(await repeat(20, () => ask(there, 'client_a', 'wrong'))).toEqual(Array(20).fill(401))
  expect(await ask(there, 'client_a', 'wrong')).toBe(429)
  expect(await ask(there, 'client_b', 'wrong')).toBe(429)
  expect(asked('issue')).toHaveLength(20)
  expect(await repeat(20, () => ask(here, 'client_a'))).toEqual(Array(20).fill(200))
})

test('an address that invents clients is counted, too', async () => {
  const { ask } = await start()
  const statuses = await repeat(21, (index) => ask(there, `client_${index}`, 'wrong'))
  expect(statuses).toEqual([...Array(20).fill(401), 429])
})

test('clients behind one address that have authenticated have a budget each', async () => {
  const { ask } = await start()
  for (const client of ['client_a', 'client_b', 'client_c'])
    expect(await repeat(15, () => ask(here, client))).toEqual(Array(15).fill(200))
})

test('assertions that name no client are counted by address', async () => {
  const { ask } = await start()
  expect(await repeat(21, () => ask(here, '', 'wrong'))).toEqual([...Array(20).fill(401), 429])
})
