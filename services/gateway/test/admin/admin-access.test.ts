import { SigningKeyState } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import {
  administered,
  adminToken,
  bySession,
  byToken,
  rootActor,
  rootUser,
} from '../../testing/administrator.ts'
import { refusing, root } from '../../testing/browser.ts'
import { issuer } from '../../testing/gateway.ts'

describe('access', () => {
  const key = {
    kid: 'k2',
    algorithm: 'HS256',
    createdAt: new Date(0),
    activatesAt: undefined,
    verifiesUntil: undefined,
    state: SigningKeyState.SIGNING_KEY_STATE_ACTIVE,
    signs: [],
  }
  const keys = [key]
  const rotating = { rotateKeyOfAlgorithm: async () => ({ keys }) }
  const actorIn = (asked: unknown[]) => (asked[0] as { actor: unknown }).actor

  test('is granted to an administrator who is logged in', async () => {
    const { send, asked } = await administered({ tokens: rotating })
    const answer = await send('POST', '/admin/api/keys/rotate', undefined, {
      ...bySession,
      origin: issuer,
      'sec-fetch-site': 'same-origin',
    })
    expect(answer.status).toBe(200)
    expect(actorIn(asked('rotateKeyOfAlgorithm'))).toEqual(rootActor)
  })

  test('is granted to a client with a token of its own', async () => {
    const { send, asked } = await administered({ tokens: rotating })
    const answer = await send('POST', '/admin/api/keys/rotate', undefined, {
      ...byToken,
      // A request with a token may come from any origin.
      origin: 'https://ops.example',
    })
    expect(answer.status).toBe(200)
    expect(actorIn(asked('rotateKeyOfAlgorithm'))).toMatchObject({ id: 'client_a', name: 'client_a' })
    expect(asked('getUser')).toEqual([])
  })

  test('is granted to a client with a token of an administrator, who is the actor', async () => {
    const { send, asked } = await administered({
      tokens: { ...rotating, introspect: async () => ({ ...adminToken, sub: root.userId, ofUser: true }) },
      identity: { getUser: async () => ({ user: rootUser }) },
    })
    expect((await send('POST', '/admin/api/keys/rotate', undefined, byToken)).status).toBe(200)
    expect(asked('getUser')).toEqual([{ userId: root.userId }])
    expect(actorIn(asked('rotateKeyOfAlgorithm'))).toEqual(rootActor)
  })

  test('is checked by an introspection of the gateway’s own, which needs no credentials', async () => {
    const { send, asked } = await administered({ tokens: { listSigningKeys: async () => ({ keys }) } })
    await send('GET', '/admin/api/keys', undefined, byToken)
    expect(asked('introspect')).toEqual([{ token: 'a.b.c', own: true }])
  })
})

test('the actor’s browser is cut to 400 characters, and what is invisible in it is escaped', async () => {
  const { send, asked } = await administered({
    tokens: { rotateKeyOfAlgorithm: refusing('temporarily_unavailable') },
  })
  for (const agent of [`a\tb\u009f${'x'.repeat(500)}`, ''])
    await send('POST', '/admin/api/keys/rotate', undefined, { ...byToken, 'user-agent': agent })
  expect(asked('rotateKeyOfAlgorithm')).toMatchObject([
    { actor: { userAgent: `a\\u{9}b\\u{9f}${'x'.repeat(400)}`.slice(0, 400) } },
    { actor: { userAgent: undefined } },
  ])
})

test('the actor’s address is cut to 64 characters, whatever a proxy passes on', async () => {
  const { send, asked } = await administered({
    trustProxy: () => true,
    tokens: { rotateKeyOfAlgorithm: refusing('temporarily_unavailable') },
  })
  await send('POST', '/admin/api/keys/rotate', undefined, { ...byToken, 'x-forwarded-for': 'x'.repeat(500) })
  expect(asked('rotateKeyOfAlgorithm')).toMatchObject([{ actor: { ipAddress: 'x'.repeat(64) } }])
})
