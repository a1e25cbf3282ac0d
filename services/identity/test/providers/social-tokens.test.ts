import { createHmac, createPublicKey } from 'node:crypto'
import { type Claims, encode, makeKey, tenant } from '@gatehouse/test/servers/social-openid'
import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import { describe, expect, test } from 'vitest'
import { userOf, useSocialLogins } from './social.ts'

const social = useSocialLogins(1_000)
const openIdProviders = ['google', 'microsoft'] as const
const elsewhere = '99999999-2222-4333-8444-555555555555'

const usersCount = async () => Number((await social.query('select count(*) from identity.users'))[0]?.count)

describe.each(openIdProviders)('%s', (provider) => {
  test('is reported as away when a login begins, and asked again the next time', async () => {
    const standIn = social.standIns()[provider]
    const of = social.deps()
    for (const trouble of ['down', 'slow', 404, 500, 200] as const) {
      standIn.trouble = trouble
      await expect(social.begin(provider, of)).rejects.toThrow('the login did not begin')
    }
    standIn.trouble = 'none'
    expect(await social.logIn(provider, of)).toMatchObject({ outcome: 'right' })
  })

  test('is asked for its metadata and keys only once', async () => {
    const { requests } = social.standIns()[provider]
    const of = social.deps()
    const before = requests.length
    for (let time = 0; time < 3; time += 1) await social.logIn(provider, of)
    const asked = requests.slice(before).map(({ line }) => line)
    expect(asked.filter((line) => line.endsWith('/openid-configuration'))).toHaveLength(1)
    expect(asked.filter((line) => line.endsWith('/jwks'))).toHaveLength(1)
    social.clock.aheadMs = 3_700_000
    await social.logIn(provider, of)
    expect(requests.filter(({ line }) => line.endsWith('/openid-configuration')).length).toBeGreaterThan(1)
  })

  test('may rotate its keys at any time: the new key is accepted at once, and the previous one is not', async () => {
    const standIn = social.standIns()[provider]
    const of = social.deps()
    const { id } = userOf(await social.logIn(provider, of))
    const [old, rotated] = [standIn.signer, makeKey('second')]
    Object.assign(standIn, { keys: [rotated], signer: rotated })
    expect(userOf(await social.logIn(provider, of)).id).toBe(id)
    standIn.signer = old
    expect(await social.logIn(provider, of)).toMatchObject({ outcome: 'bad answer' })
  })

  const soon = () => Math.floor(Date.now() / 1000)
  const wrong: Record<string, (claims: Claims) => Claims> = {
    'for another client': (claims) => ({ ...claims, aud: 'somebody else' }),
    'for several clients that was issued to another one': (claims) => ({
      ...claims,
      aud: ['gatehouse', 'somebody else'],
      azp: 'somebody else',
    }),
    'without an audience': ({ aud: _, ...claims }) => claims,
    'of another issuer': (claims) => ({ ...claims, iss: 'https://evil.example' }),
    'without an issuer': ({ iss: _, ...claims }) => claims,
    'with another nonce': (claims) => ({ ...claims, nonce: 'another' }),
    'without a nonce': ({ nonce: _, ...claims }) => claims,
    'that is expired': (claims) => ({ ...claims, iat: soon() - 900, exp: soon() - 300 }),
    'without an expiry': ({ exp: _, ...claims }) => claims,
    'that is not valid yet': (claims) => ({ ...claims, nbf: soon() + 600 }),
    'without a subject': ({ sub: _, oid: __, ...claims }) => claims,
    'with a subject that is too long': (claims) => ({
      ...claims,
      sub: 'x'.repeat(300),
      oid: 'x'.repeat(300),
      tid: tenant,
    }),
  }
  test.each(Object.entries(wrong))('fails the login for an id_token %s', async (_, tamper) => {
    const standIn = social.standIns()[provider]
    const of = social.deps()
    const users = await usersCount()
    standIn.tamper = tamper
    expect(await social.logIn(provider, of)).toEqual({ outcome: 'bad answer', returnTo: '/account' })
    expect(await usersCount()).toBe(users)
  })

  const forged: Record<string, (claims: Claims) => string> = {
    'without a signature': (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`,
    'signed with our own secret': (claims) => hmac(claims, standInClient.clientSecret),
    'signed with the provider’s public key as an HMAC secret': (claims) => {
      const key = createPublicKey(social.standIns()[provider].signer.privateKey)
      return hmac(claims, key.export({ type: 'spki', format: 'pem' }).toString())
    },
    'that is not a JWT': () => 'no.token.atall',
  }
  test.each(Object.entries(forged))('fails the login for an id_token %s', async (_, forge) => {
    const standIn = social.standIns()[provider]
    const of = social.deps()
    standIn.forge = forge
    expect(await social.logIn(provider, of)).toMatchObject({ outcome: 'bad answer' })
  })

  test('fails the login for an id_token signed with an unpublished key, whatever its kid', async () => {
    const standIn = social.standIns()[provider]
    for (const kid of [standIn.signer.kid, 'another']) {
      standIn.signer = makeKey(kid)
      expect(await social.logIn(provider)).toMatchObject({ outcome: 'bad answer' })
    }
  })
})

function hmac(claims: Claims, secret: string): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

describe('Microsoft’s endpoint for all tenants', () => {
  const logIn = () => social.logIn('microsoft', social.deps())

  test.each([
    ['a tenant that is not the issuer’s', (claims: Claims) => ({ ...claims, tid: elsewhere })],
    ['no tenant', ({ tid: _, ...claims }: Claims) => claims],
    ['a placeholder for the tenant', (claims: Claims) => ({ ...claims, tid: '{tenantid}' })],
    [
      'a tenant that is not a UUID',
      (claims: Claims) => ({ ...claims, tid: 'evil', iss: String(claims.iss).replace(tenant, 'evil') }),
    ],
  ])('fails the login for a token that names %s', async (_, tamper) => {
    const { microsoft } = social.standIns()
    microsoft.person = { ...microsoft.person, tid: tenant }
    microsoft.tamper = tamper
    expect(await logIn()).toMatchObject({ outcome: 'bad answer' })
  })

  test('fails the login for a tenant that is not a UUID, even when all issuers match', async () => {
    expect(await social.logInFrom('evil')).toMatchObject({ outcome: 'bad answer' })
  })

  test('accepts a tenant’s own key only for that tenant', async () => {
    const { microsoft } = social.standIns()
    microsoft.person = { ...microsoft.person, tid: tenant, oid: 'oid' }
    const signedFor = (owner: string) => {
      microsoft.signer = makeKey('own', `${microsoft.origin}/${owner}/v2.0`)
      microsoft.keys = [microsoft.signer]
      return logIn()
    }
    expect(await signedFor('{tenantid}')).toMatchObject({ outcome: 'right' })
    expect(await signedFor(tenant)).toMatchObject({ outcome: 'right' })
    expect(await signedFor(elsewhere)).toMatchObject({ outcome: 'bad answer' })
  })

  test('denies personal accounts when it is configured for organizations', async () => {
    const tid = '9188040d-6c67-4c5b-b112-36a304b66dad'
    expect(await social.logInFrom(tid, social.deps('organizations'))).toMatchObject({ outcome: 'denied' })
    expect(await social.logInFrom(tid, social.deps('common'))).toMatchObject({ outcome: 'right' })
  })

  test('fails the login when callback and token name different tenants', async () => {
    const begun = await social.begin('microsoft')
    const query = new URLSearchParams(await social.comeBack(begun))
    query.set('iss', String(query.get('iss')).replace(tenant, elsewhere))
    expect(await social.finish(begun, query.toString())).toMatchObject({ outcome: 'bad answer' })
  })
})
