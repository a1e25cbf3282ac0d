import { hash } from 'node:crypto'
import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { describe, expect, test } from 'vitest'
import { revoke } from '../../src/tokens/introspection.ts'
import { nothing } from '../clients/clients.ts'
import { key, other, refreshToken, right, start, token, wrong } from './introspection-deps.ts'

describe('revocation', () => {
  test('a client ends its own token', async () => {
    const { deps, revoked } = start()
    expect(await revoke({ token, presented: right }, deps)).toBe(true)
    expect(revoked).toEqual([{ ...key, clientId: 'client_a' }])
  })

  test('is told, unless the token was revoked before', async () => {
    const { deps } = start()
    const { emit, events } = recordedEvents()
    await revoke({ token, presented: right }, { ...deps, emit })
    const metadata = { kind: 'access_token', id: key.jti }
    expect(events.splice(0)).toEqual([{ type: 'token_revoked', clientId: 'client_a', metadata }])
    deps.store.revoke = async () => false
    expect(await revoke({ token, presented: right }, { ...deps, emit })).toBe(false)
    expect(events).toEqual([])
  })

  test('a refresh token that nobody knows is as good as revoked', async () => {
    const { deps, endedGrants } = start()
    const find = async () => undefined
    const unknown = { ...deps, refreshTokenStore: { ...deps.refreshTokenStore, find } }
    expect(await revoke({ token: refreshToken, presented: right }, unknown)).toBe(false)
    expect(endedGrants).toEqual([])
  })

  test('a token that is unknown is as good as revoked', async () => {
    const { deps, revoked } = start()
    expect(await revoke({ token: 'unknown', presented: right }, deps)).toBe(false)
    expect(revoked).toEqual([])
  })

  test('an access token goes alone, and a refresh token takes its grant along', async () => {
    const { deps, revoked, endedGrants, looked } = start()
    await revoke({ token, presented: right }, deps)
    expect(endedGrants).toEqual([])
    revoked.length = 0
    expect(await revoke({ token: refreshToken, presented: right }, deps)).toBe(true)
    expect(looked).toEqual([hash('sha256', refreshToken, 'buffer')])
    expect(endedGrants).toEqual([{ kind: 'grant', id: 'grant-1', issuedBefore: 'now' }])
    expect(revoked).toEqual([])
  })

  test('another client’s refresh token is refused, and one that has ended is not ended again', async () => {
    const { deps, endedGrants } = start()
    await expect(revoke({ token: refreshToken, presented: other }, deps)).rejects.toMatchObject({
      code: 'unauthorized_client',
    })
    deps.refreshTokenStore.find = async () => ({ clientId: 'client_a', grantId: 'grant-1', ended: true })
    expect(await revoke({ token: refreshToken, presented: right }, deps)).toBe(false)
    expect(endedGrants).toEqual([])
  })

  test('what cannot be a refresh token is not looked for', async () => {
    const { deps, looked } = start()
    for (const text of ['', 'x', `${refreshToken}x`, `${refreshToken.slice(1)}+`, `${token}x`]) {
      expect(await revoke({ token: text, presented: right }, deps)).toBe(false)
    }
    expect(looked).toEqual([])
  })

  test('another client’s token is refused and stays alive', async () => {
    const { deps, revoked } = start()
    await expect(revoke({ token, presented: other }, deps)).rejects.toMatchObject({
      code: 'unauthorized_client',
    })
    expect(revoked).toEqual([])
  })

  test.each([
    ['wrong', wrong],
    ['missing', nothing],
  ])('with %s credentials nothing is revoked, and nothing told of the token', async (_, presented) => {
    const { deps, revoked } = start()
    for (const text of [token, 'unknown']) {
      await expect(revoke({ token: text, presented }, deps)).rejects.toMatchObject({
        code: 'invalid_client',
      })
    }
    expect(revoked).toEqual([])
  })
})
