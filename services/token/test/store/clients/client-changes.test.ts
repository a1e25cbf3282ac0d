import { keepNothing } from '@gatehouse/data/pending-events'
import { describe, expect, test } from 'vitest'
import { createTokenAdministrationStore } from '../../../src/store/token-administration.ts'
import { redirectUri } from '../replica.ts'
import { everyGrant, useChangedClient } from './changed-client.ts'

const there = useChangedClient()

describe('a scope that is taken from a client', () => {
  test('is gone from tokens that it has, and from those that it gets', async () => {
    const machine = await there.issue('read admin')
    const only = await there.issue('admin')
    const user = await there.replica.logIn('admin write')
    await there.change({ scope: 'read write' })
    expect(await there.replica.introspect(machine.accessToken)).toMatchObject({ scope: 'read' })
    expect(await there.replica.introspect(user.accessToken)).toMatchObject({ scope: 'write' })
    expect(await there.replica.isActive(only)).toBe(false)
    expect((await there.issue()).scope).toBe('read write')
    await expect(there.issue('admin')).rejects.toMatchObject({ code: 'invalid_scope' })
  })

  test('is not given for a code or a refresh token from before', async () => {
    const { code } = await there.replica.authorize('client_a', 600, 'read admin')
    const first = await there.replica.redeem(
      (await there.replica.authorize('client_a', 600, 'read admin')).code,
    )
    await there.change({ scope: 'read' })
    expect((await there.replica.redeem(code)).scope).toBe('read')
    const second = await there.replica.refresh(first.refreshToken)
    expect(second.scope).toBe('read')
    await expect(there.replica.refresh(second.refreshToken, { scope: 'admin' })).rejects.toMatchObject({
      code: 'invalid_scope',
    })
    expect((await there.replica.refresh(second.refreshToken, { scope: 'read' })).scope).toBe('read')
  })

  test('leaves nothing where it was all', async () => {
    const { code } = await there.replica.authorize('client_a', 600, 'admin')
    const { refreshToken } = await there.replica.redeem(
      (await there.replica.authorize('client_a', 600, 'admin')).code,
    )
    await there.change({ scope: 'read' })
    const nothing = { code: 'invalid_grant', detail: expect.stringContaining('anything of the scope') }
    await expect(there.replica.redeem(code)).rejects.toMatchObject(nothing)
    await expect(there.replica.refresh(refreshToken)).rejects.toMatchObject(nothing)
  })

  test('is not shown in the lists of administrators', async () => {
    const { accessToken } = await there.issue('read admin')
    const only = await there.issue('admin')
    await there.change({ scope: 'read' })
    const jti = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti as string
    const store = createTokenAdministrationStore(there.shared.database, 3600, keepNothing)
    const listed = await store.list({ kind: 'client', id: 'client_a' }, undefined, 50)
    const byJti = new Map(listed.map((token) => [token.jti, token]))
    expect(byJti.get(jti(accessToken))).toMatchObject({ scope: 'read', revoked: false })
    expect(byJti.get(jti(only.accessToken))).toMatchObject({ revoked: true })
  })
})

describe('a grant that is taken from a client', () => {
  test('ends the tokens that only it can have given', async () => {
    const byCode = await there.replica.redeem((await there.replica.authorize()).code)
    const byPassword = await there.replica.logIn()
    const refreshed = await there.replica.refresh(byCode.refreshToken)
    const tokens = [await there.issue(), byCode, refreshed, byPassword]
    const active = async () => Promise.all(tokens.map((token) => there.replica.isActive(token)))
    await there.change({ grantTypes: new Set(['authorization_code']) })
    expect(await active()).toEqual([false, true, true, false])
    await there.change({ grantTypes: new Set(['client_credentials']) })
    expect(await active()).toEqual([true, false, false, false])
    await there.change({ grantTypes: new Set(['client_credentials', 'password']) })
    expect(await active()).toEqual([true, false, false, true])
    await there.change({ grantTypes: everyGrant })
    expect(await active()).toEqual([true, true, true, true])
  })

  test('ends the refresh tokens that follow from it, and no others', async () => {
    const byCode = await there.replica.redeem((await there.replica.authorize()).code)
    const byPassword = await there.replica.logIn()
    await there.change({ grantTypes: new Set(['authorization_code', 'refresh_token']) })
    await expect(there.replica.refresh(byPassword.refreshToken)).rejects.toMatchObject({
      code: 'invalid_grant',
    })
    expect(await there.replica.refresh(byCode.refreshToken)).toMatchObject({ scope: 'read write' })
  })

  test('ends what a release before it granted only when no grant is left that could have given it', async () => {
    const user = await there.replica.logIn()
    await there.shared.query('update token.access_tokens set grant_type = null')
    await there.change({ grantTypes: new Set(['authorization_code']) })
    expect(await there.replica.isActive(user)).toBe(true)
    await there.change({ grantTypes: new Set(['client_credentials']) })
    expect(await there.replica.isActive(user)).toBe(false)
  })

  test('is refused at once, by a replica too that has not heard of it', async () => {
    const { code } = await there.replica.authorize()
    const { refreshToken } = await there.replica.redeem((await there.replica.authorize()).code)
    await there.change({ grantTypes: new Set() })
    const attempts = [
      there.issue(),
      there.replica.redeem(code),
      there.replica.refresh(refreshToken),
      there.replica.logIn(),
    ]
    for (const result of await Promise.allSettled(attempts)) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unauthorized_client' } })
    }
    await expect(there.replica.authorize()).rejects.toMatchObject({ code: 'unauthorized_client' })
  })
})

test('a code for a redirect URI that was taken away is not redeemed', async () => {
  const { code } = await there.replica.authorize()
  await there.change({ redirectUris: ['https://app.example/other'] })
  await expect(there.replica.redeem(code)).rejects.toMatchObject({
    code: 'invalid_grant',
    detail: expect.stringContaining('redirect_uri is no longer registered'),
  })
  await expect(there.replica.redeem(code, { redirectUri })).rejects.toMatchObject({ code: 'invalid_grant' })
  await there.change({ redirectUris: [redirectUri] })
  expect(await there.replica.redeem(code)).toMatchObject({ scope: 'read write' })
})

test('a code for a loopback redirect URI is redeemed whatever its port, as it was given', async () => {
  await there.change({ redirectUris: ['http://127.0.0.1/cb', 'http://[::1]:80/cb'] })
  there.cached = there.registered
  for (const uri of ['http://127.0.0.1:4711/cb', 'http://[::1]:8080/cb', 'http://127.0.0.1/cb']) {
    const { code } = await there.replica.authorize('client_a', 600, 'read', uri)
    expect(await there.replica.redeem(code, { redirectUri: uri })).toMatchObject({ scope: 'read' })
  }
})

test('a refresh gives nothing when no grant of the client can have begun it', async () => {
  const { refreshToken } = await there.replica.logIn()
  await there.change({ grantTypes: new Set(['refresh_token', 'client_credentials']) })
  await expect(there.replica.refresh(refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
})

test('a scope that is given back counts, also where the store has not heard of it', async () => {
  await there.change({ scope: 'read' })
  there.registered = { ...there.registered, scope: 'read admin', revision: there.registered.revision + 1n }
  there.cached = there.registered
  const token = await there.issue('admin')
  expect(await there.replica.introspect(token.accessToken)).toMatchObject({ scope: 'admin' })
})
