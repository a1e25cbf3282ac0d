import { join } from 'node:path'
import { sharedAdmin } from '@gatehouse/test/system'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { callback, type Provider } from '../../e2e/openid/openid-world.ts'
import { converseWith } from '../program-dialogue.ts'

type Claims = Record<string, unknown>
type Result = {
  claims: Claims
  another_nonce: string
  userinfo: Claims
  access_token: string
  offline: { claims: Claims; another_audience: string; another_issuer: string }
}

/**
 * Tests Authlib as a client, and PyJWT and jose as resource servers that verify its access token without asking us.
 * @param python a Python with Authlib and PyJWT
 */
export function authlibOpenid(there: () => Provider, python: string): void {
  test('logs a user in, and its access token is verified offline with the published keys', async () => {
    const { system, root: jar, createClient } = there()
    const issuer = system.baseUrl
    const client = await createClient()
    const { client_id, client_secret } = client
    const result = await converseWith<Result>(
      { system, jar },
      [python, join(import.meta.dirname, 'authlib_openid.py')],
      { issuer, redirect_uri: callback, client: { client_id, client_secret } },
    )
    const { claims, userinfo, offline, access_token } = result
    expect(claims).toMatchObject({ iss: issuer, aud: client_id, nonce: expect.any(String) })
    expect(result.another_nonce).toBe('invalid_claim')
    expect(userinfo).toMatchObject({ sub: claims.sub, preferred_username: sharedAdmin.username })

    const expected = { iss: issuer, aud: issuer, sub: claims.sub, client_id, scope: 'openid profile email' }
    expect(offline).toEqual({
      claims: expect.objectContaining(expected),
      another_audience: 'InvalidAudienceError',
      another_issuer: 'InvalidIssuerError',
    })
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', issuer))
    const options = { issuer, audience: issuer, typ: 'at+jwt', algorithms: ['ES256'] }
    expect((await jwtVerify(access_token, keys, options)).payload).toMatchObject(expected)
    await expect(
      jwtVerify(access_token, keys, { ...options, audience: 'https://api.example' }),
    ).rejects.toMatchObject({ code: 'ERR_JWT_CLAIM_VALIDATION_FAILED', claim: 'aud' })
  })
}
