import { randomUUID } from 'node:crypto'
import { encode, makeKey, signJwt } from '@gatehouse/test/servers/social-openid'
import { describe, expect, test } from 'vitest'
import { useConnectionLogins } from './logging-in.ts'

const { standIn, add, begin, comeBack, finish, run, lines, arrives, linksOf } = useConnectionLogins()

describe('an answer', () => {
  const tampered = (change: (claims: Record<string, unknown>) => object) => async () => {
    standIn().tamper = (claims) => ({ ...claims, ...change(claims) })
  }
  const forged = (forge: (claims: Record<string, unknown>) => string) => async () => {
    standIn().forge = forge
  }
  test.each<[string, () => Promise<void>, RegExp]>([
    ['with another issuer', tampered(() => ({ iss: 'https://other.example' })), /of iss/],
    ['for another client', tampered(() => ({ aud: 'somebody else' })), /of aud/],
    ['with another nonce', tampered(() => ({ nonce: 'another' })), /nonce/],
    ['that has expired', tampered(() => ({ exp: 1_000_000_000 })), /exp|timestamp/],
    ['with another signature', forged((claims) => signJwt(claims, makeKey('first'))), /INVALID_RESPONSE/],
    [
      'without a signature',
      forged((claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`),
      /INVALID_RESPONSE/,
    ],
    ['about somebody else than userinfo', tampered(() => ({ sub: 'somebody else' })), /ATTRIBUTE_COMPARISON/],
    ['without a subject', tampered(() => ({ sub: '' })), /INVALID_ARG/],
  ])('%s is refused', async (_, spoil, detail) => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    await spoil()
    expect(await run(connectionId)).toMatchObject({ outcome: 'bad answer', returnTo: '/account' })
    expect(lines.at(-1)).toMatchObject({ connection: connectionId, detail: expect.stringMatching(detail) })
    expect(await linksOf(connectionId)).toEqual([])
    expect(JSON.stringify(lines)).not.toContain('the secret of gatehouse')
  })

  test('is refused without iss, with another iss, when it is replayed, and in another browser', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    arrives()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const back = async () => {
      const begun = await begin(connectionId)
      return { begun, query: new URLSearchParams(await comeBack(begun)) }
    }
    const without = await back()
    without.query.delete('iss')
    expect(await finish(without.begun, String(without.query))).toMatchObject({ outcome: 'bad answer' })
    const other = await back()
    other.query.set('iss', 'https://other.example')
    expect(await finish(other.begun, String(other.query))).toMatchObject({ outcome: 'bad answer' })
    const fine = await back()
    const elsewhere = { browserSecrets: [randomUUID()] }
    expect(await finish(fine.begun, String(fine.query), elsewhere)).toMatchObject({
      outcome: 'unknown login',
    })
    expect(await finish(fine.begun, String(fine.query))).toMatchObject({ outcome: 'right' })
    expect(await finish(fine.begun, String(fine.query))).toMatchObject({ outcome: 'unknown login' })
  })

  test('is refused at the callback of another connection', async () => {
    const [one, two] = [await add({ newUsers: 'always' }), await add({ newUsers: 'always' })]
    arrives()
    standIn().register(`https://auth.example/auth/callback/${one.connectionId}`)
    const begun = await begin(one.connectionId)
    const query = await comeBack(begun)
    expect(await finish(begun, query, { connectionId: two.connectionId })).toMatchObject({
      outcome: 'unknown login',
    })
    expect(await finish(begun, query)).toMatchObject({ outcome: 'unknown login' })
  })

  test('is denied where the person cancels', async () => {
    const { connectionId } = await add()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const begun = await begin(connectionId)
    expect(await finish(begun, await comeBack(begun, 'deny'))).toMatchObject({ outcome: 'denied' })
  })

  test('must have an acr that was asked for, and a time of the login where one was', async () => {
    const { connectionId } = await add({ newUsers: 'always', acrValues: 'high' })
    arrives()
    expect(await run(connectionId)).toMatchObject({ outcome: 'bad answer' })
    await tampered(() => ({ acr: 'high' }))()
    expect(await run(connectionId)).toMatchObject({ outcome: 'right' })
    await tampered(() => ({ acr: 'high', auth_time: undefined }))()
    expect(await run(connectionId, { begin: { again: true } })).toMatchObject({ outcome: 'bad answer' })
    const long = Math.floor(Date.now() / 1000) - 1_000
    await tampered(() => ({ acr: 'high', auth_time: long }))()
    expect(await run(connectionId, { begin: { maxAge: 600 } })).toMatchObject({ outcome: 'bad answer' })
    expect(await run(connectionId, { begin: { maxAge: 2_000 } })).toMatchObject({ outcome: 'right' })
  })
})
