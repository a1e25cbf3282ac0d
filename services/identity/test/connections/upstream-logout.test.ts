import { randomUUID } from 'node:crypto'
import { encode, makeKey, signJwt } from '@gatehouse/test/servers/social-openid'
import { describe, expect, test } from 'vitest'
import { endUpstream } from '../../src/connections/upstream-logout.ts'
import { storedEvents } from '../store/stored-events.ts'
import { useConnectionLogins } from './logging-in.ts'

const { shared, standIn, add, loginDeps, run, arrives, session, right } = useConnectionLogins()

describe('a logout at the provider', () => {
  const event = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const claims = (changes: object = {}) => {
    const now = Math.floor(Date.now() / 1000)
    return {
      iss: standIn().issuer,
      aud: 'gatehouse',
      iat: now,
      exp: now + 60,
      jti: randomUUID(),
      events: event,
      ...changes,
    }
  }
  const end = (connectionId: string, token: string, of = loginDeps()) =>
    endUpstream({ connectionId, logoutToken: token }, of)

  test('ends the logins of the person', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const sub = arrives()
    const { session: begun } = right(await run(connectionId))
    expect(await end(connectionId, signJwt(claims({ sub: 'another' }), standIn().signer))).toBe(true)
    expect(await session(begun.secret)).toBeDefined()
    expect(await end(connectionId, signJwt(claims({ sub }), standIn().signer))).toBe(true)
    expect(await session(begun.secret)).toBeUndefined()
    const events = await storedEvents(shared.query, connectionId)
    expect(events.filter(({ type }) => type === 'connection_logins_ended')).toEqual([
      {
        type: 'connection_logins_ended',
        userId: begun.session.user.id,
        metadata: { connection_id: connectionId },
      },
    ])
  })

  test('ends a login without a sid by the person of the token, and leaves one of another session', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const sub = arrives()
    const without = right(await run(connectionId)).session
    standIn().tamper = (changed) => ({ ...changed, sid: 'another' })
    const other = right(await run(connectionId)).session
    expect(await end(connectionId, signJwt(claims({ sid: 'one', sub: 'somebody' }), standIn().signer))).toBe(
      true,
    )
    expect(await session(without.secret)).toBeDefined()
    expect(await end(connectionId, signJwt(claims({ sid: 'one', sub }), standIn().signer))).toBe(true)
    expect(await session(without.secret)).toBeUndefined()
    expect(await session(other.secret)).toBeDefined()
    expect(await end(connectionId, signJwt(claims({ sid: 'another', sub }), standIn().signer))).toBe(true)
    expect(await session(other.secret)).toBeUndefined()
  })

  test('counts at once with a new key of the provider, if somebody has logged in since', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const of = loginDeps()
    const sub = arrives()
    await run(connectionId, {}, of)
    expect(await end(connectionId, signJwt(claims({ sub: 'another' }), standIn().signer), of)).toBe(true)
    const former = { keys: standIn().keys, signer: standIn().signer }
    const next = makeKey('next')
    Object.assign(standIn(), { keys: [next], signer: next })
    try {
      const { session: begun } = right(await run(connectionId, {}, of))
      expect(await end(connectionId, signJwt(claims({ sub }), next), of)).toBe(true)
      expect(await session(begun.secret)).toBeUndefined()
    } finally {
      Object.assign(standIn(), former)
    }
  })

  test('makes no request for a token of another issuer, for another client, or that is none', async () => {
    const { connectionId } = await add()
    const before = standIn().requests.length
    for (const token of [
      signJwt(claims({ sub: 'a', iss: 'https://other.example' }), standIn().signer),
      signJwt(claims({ sub: 'a', aud: 'another' }), standIn().signer),
      'abc',
    ])
      expect(await end(connectionId, token)).toBe(false)
    expect(standIn().requests).toHaveLength(before)
  })

  test.each<[string, () => string]>([
    [
      'of another issuer',
      () => signJwt(claims({ sub: 'a', iss: 'https://other.example' }), standIn().signer),
    ],
    ['for another client', () => signJwt(claims({ sub: 'a', aud: 'another' }), standIn().signer)],
    ['with a nonce', () => signJwt(claims({ sub: 'a', nonce: 'n' }), standIn().signer)],
    ['without the event', () => signJwt(claims({ sub: 'a', events: {} }), standIn().signer)],
    ['about nobody', () => signJwt(claims(), standIn().signer)],
    ['that has expired', () => signJwt(claims({ sub: 'a', exp: 1_000_000_000 }), standIn().signer)],
    ['from the future', () => signJwt(claims({ sub: 'a', iat: 4_000_000_000 }), standIn().signer)],
    ['with another key', () => signJwt(claims({ sub: 'a' }), makeKey('first'))],
    ['without a signature', () => `${encode({ alg: 'none' })}.${encode(claims({ sub: 'a' }))}.`],
    ['that is no token', () => 'abc'],
  ])('is refused by a token %s', async (_, token) => {
    const { connectionId } = await add()
    expect(await end(connectionId, token())).toBe(false)
  })
})
