import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.stop())

test('a machine client registers, gets a token, has it checked, and has it revoked', async () => {
  const client = await system.register()
  const credentials = { client_id: client.client_id, client_secret: client.client_secret }

  const issued = await system.form('/oauth/token', { grant_type: 'client_credentials', ...credentials })
  expect(issued.status).toBe(200)
  expect(issued.headers.get('cache-control')).toBe('no-store')
  const token = (await issued.json()) as { access_token: string }
  expect(token).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read write',
  })

  const introspect = async () => {
    const response = await system.form('/oauth/introspect', { token: token.access_token })
    return response.text()
  }
  expect(JSON.parse(await introspect())).toMatchObject({
    active: true,
    client_id: client.client_id,
    username: client.client_id,
    sub: client.client_id,
    iss: system.baseUrl,
  })

  const revoked = await system.form('/oauth/revoke', { token: token.access_token, ...credentials })
  expect([revoked.status, await revoked.text()]).toEqual([200, '{}'])
  expect(await introspect()).toBe('{"active":false}')
})
