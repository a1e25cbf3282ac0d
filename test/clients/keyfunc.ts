import { issueToken } from '@gatehouse/test/oauth'
import { buildGoPackage } from '@gatehouse/test/programs/go-programs'
import { run } from '@gatehouse/test/programs/programs'
import { beforeAll, expect, test } from 'vitest'
import type { Provider } from '../e2e/openid/openid-world.ts'

/** In milliseconds. The first time Go also downloads the modules and compiles its own library. */
const building = 180_000

/** Tests golang-jwt 5 with keyfunc 2, in a program that Go builds. */
export function keyfunc(there: () => Provider): void {
  let program: string
  beforeAll(async () => {
    program = await buildGoPackage(import.meta.dirname, 'keyfunc')
  }, building)

  test('verifies access tokens with the published keys, and refuses one for another audience', async () => {
    const { system, createClient } = there()
    const client = await createClient({
      grant_types: ['client_credentials'],
      redirect_uris: [],
      scope: 'read',
    })
    const accessToken = await issueToken(system, client, 'read')
    const verify = (audience: string) => {
      const settings = { issuer: system.baseUrl, audience, access_token: accessToken }
      return run(program, [
        JSON.stringify({ ...settings, jwks_uri: `${system.baseUrl}/.well-known/jwks.json` }),
      ])
    }
    const verified = await verify(system.baseUrl)
    expect(JSON.parse(verified.stdout)).toMatchObject({ sub: client.client_id, scope: 'read' })
    const refused = await verify('https://api.example')
    expect([refused.ok, refused.stderr]).toEqual([false, expect.stringContaining('audience')])
  })
}
