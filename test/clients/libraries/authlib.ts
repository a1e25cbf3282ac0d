import { join } from 'node:path'
import { expect, test } from 'vitest'
import { converseWith } from '../program-dialogue.ts'
import {
  accentedSecret,
  ambiguousSecret,
  callback,
  registerWithSecret,
  specialSecret,
  specialState,
  type World,
  webApplication,
} from '../world.ts'

type Token = { access_token: string; refresh_token: string; scope: string; token_type: string }
type Result = {
  code: { token: Token; active: object; refreshed: Token; revocation: number; inactive: object }
  credentials: string[]
}

/**
 * Tests Authlib with a system that has refresh tokens.
 * @param python a Python with Authlib
 */
export function authlib(there: () => World, python: string): void {
  test('completes the whole flow, and authenticates with special characters in the secret', async () => {
    const { system } = there()
    const client = await system.register(webApplication)
    const of = (secret: string) => registerWithSecret(system, secret)
    const cases = [
      { method: 'client_secret_basic', client: await of(specialSecret), expected: 'read write' },
      { method: 'client_secret_basic', client: await of(ambiguousSecret), expected: 'read write' },
      { method: 'client_secret_post', client: await of(ambiguousSecret), expected: 'read write' },
      // In Basic it would write the letter in Latin-1, which a server cannot distinguish from malformed UTF-8.
      { method: 'client_secret_post', client: await of(accentedSecret), expected: 'read write' },
      {
        method: 'client_secret_basic',
        client: { ...client, client_secret: 'another' },
        expected: 'invalid_client',
      },
    ]
    const result = await converseWith<Result>(
      there(),
      [python, join(import.meta.dirname, 'authlib_client.py')],
      {
        issuer: system.baseUrl,
        redirect_uri: callback,
        state: specialState,
        client,
        cases,
      },
    )
    const { code, credentials } = result
    expect(code.token).toMatchObject({ token_type: 'Bearer', scope: 'read' })
    expect(code.active).toMatchObject({ active: true, username: 'ada', client_id: client.client_id })
    expect(code.refreshed).toMatchObject({ token_type: 'Bearer', scope: 'read' })
    expect(code.refreshed.refresh_token).not.toBe(code.token.refresh_token)
    expect([code.revocation, code.inactive]).toEqual([200, { active: false }])
    expect(credentials).toEqual(cases.map(({ expected }) => expected))
  })
}
