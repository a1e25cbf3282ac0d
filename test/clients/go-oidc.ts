import { buildGoPackage } from '@gatehouse/test/go-programs'
import { sharedAdmin } from '@gatehouse/test/system'
import { beforeAll, expect, test } from 'vitest'
import { callback, type Provider } from '../e2e/openid-world.ts'
import { converseWith } from './program-dialogue.ts'

type Result = { claims: Record<string, unknown>; userinfo: Record<string, unknown> }

/** In milliseconds. The first time Go also downloads the modules and compiles its own library. */
const building = 180_000

/** Tests go-oidc 3 with golang.org/x/oauth2, in a program that Go builds. */
export function goOidc(there: () => Provider): void {
  let program: string
  beforeAll(async () => {
    program = await buildGoPackage(import.meta.dirname, 'go-oidc')
  }, building)

  test('logs a user in with PKCE, verifies the ID token with the published keys, and asks userinfo', async () => {
    const { system, root: jar, createClient } = there()
    const client = await createClient()
    const settings = { issuer: system.baseUrl, redirect_uri: callback, client }
    const { claims, userinfo } = await converseWith<Result>({ system, jar }, [program], settings)
    expect(claims).toMatchObject({ iss: system.baseUrl, aud: client.client_id, nonce: expect.any(String) })
    expect(userinfo).toMatchObject({ sub: claims.sub, preferred_username: sharedAdmin.username })
  })
}
