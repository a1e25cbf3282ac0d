import { until } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { expect } from 'vitest'
import type { Action } from './admin-action.ts'
import { type Items, isActiveFor } from './admin-world.ts'

type RotatedClient = RegisteredClient & { secrets: object[] }

/** An administrator's actions on clients, tokens and keys. */
export const clientActions: Record<string, Action> = {
  'creates a client': async (world, who) => {
    const { secrets, serves } = world
    const { status, body: client } = await world.api<RegisteredClient>(who, 'POST', '/admin/api/clients', {
      ...{ client_name: 'Jobs', grant_types: ['client_credentials'], scope: 'read admin', first_party: true },
    })
    secrets.add(client.client_secret)
    expect([status, client]).toMatchObject([
      201,
      { client_name: 'Jobs', scope: 'read admin', first_party: true },
    ])
    expect(await serves(client)).toBe(true)
    return { action: 'client.create', target: client.client_id, before: undefined }
  },

  'creates, disables and deletes a resource server': async (world, who) => {
    const identifier = `https://api.example/${Math.random()}`
    const scopes = [{ scope: 'api:use', description: 'Use the API' }]
    const path = '/admin/api/resources'
    type Created = { resource_id: string }
    const { status, body } = await world.api<Created>(who, 'POST', path, { identifier, scopes })
    expect([status, body]).toMatchObject([201, { identifier, name: 'api.example', scopes }])
    const its = `${path}/${body.resource_id}`
    const disabled = await world.api(who, 'PATCH', its, { disabled: true })
    expect([disabled.status, disabled.body]).toMatchObject([200, { disabled: true }])
    expect((await world.api(who, 'DELETE', its)).status).toBe(204)
    expect((await world.api(who, 'GET', its)).status).toBe(404)
    return { action: 'resource.delete', target: identifier, after: undefined }
  },

  'updates a client': async (world, who) => {
    const { newClient } = world
    const { client_id } = await newClient()
    const path = `/admin/api/clients/${client_id}`
    const { revision } = await world.done<{ revision: number }>('GET', path)
    const change = { client_name: 'Renamed', first_party: true, revision }
    const changed = await world.api(who, 'PATCH', path, change)
    expect([changed.status, changed.body]).toMatchObject([200, { client_name: 'Renamed' }])
    const stale = await world.api(who, 'PATCH', path, { client_name: 'Mine', revision })
    expect([stale.status, stale.body]).toMatchObject([409, { error: 'outdated_revision' }])
    expect(await world.done('GET', path)).toMatchObject({ client_name: 'Renamed', first_party: true })
    return { action: 'client.update', target: client_id }
  },

  'disables a client, which revokes its tokens, and enables it': async (world, who) => {
    const { newClient, tokensOf, serves } = world
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const path = `/admin/api/clients/${client.client_id}`
    expect((await world.api(who, 'PATCH', path, { disabled: true })).status).toBe(200)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    await until(async () => !(await serves(client)), 3_000)
    expect((await world.api(who, 'PATCH', path, { disabled: false })).status).toBe(200)
    expect(await isActiveFor(world, token)).toBe(false)
    await until(() => serves(client), 3_000)
    return { action: 'client.update', target: client.client_id }
  },

  'rotates a client’s secret with an overlap': async (world, who) => {
    const { secrets, newClient, serves } = world
    const client = await newClient()
    const path = `/admin/api/clients/${client.client_id}/secret`
    const overlap = { overlap_seconds: 3_600 }
    const { status, body } = await world.api<RotatedClient>(who, 'POST', path, overlap)
    const { client_secret, secrets: valid } = body
    secrets.add(client_secret)
    const secret = { secret_id: expect.any(String), created_at: expect.any(String) }
    expect([status, valid]).toEqual([
      200,
      expect.arrayContaining([secret, { ...secret, expires_at: expect.any(String) }]),
    ])
    await until(() => serves({ ...client, client_secret }), 3_000)
    expect(await serves(client)).toBe(true)

    // Then another without an overlap, which ends both earlier secrets.
    const again = await world.api<RotatedClient>(who, 'POST', path, {})
    const last = again.body.client_secret
    secrets.add(last)
    await until(async () => !(await serves(client)), 3_000)
    await until(() => serves({ ...client, client_secret: last }), 3_000)
    expect(await serves({ ...client, client_secret })).toBe(false)
    return { action: 'client.secret.rotate', target: client.client_id }
  },

  'revokes all tokens of a client': async (world, who) => {
    const { newClient, tokensOf } = world
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const { status, text } = await world.api(who, 'DELETE', `/admin/api/clients/${client.client_id}/tokens`)
    expect([status, text]).toEqual([204, ''])
    expect(await isActiveFor(world, token)).toBe(false)
    expect(await isActiveFor(world, (await tokensOf(client)).access_token)).toBe(true)
    return { action: 'tokens.end', target: client.client_id }
  },

  'deletes a client, which revokes its tokens': async (world, who) => {
    const { newClient, tokensOf, serves } = world
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const path = `/admin/api/clients/${client.client_id}`
    expect((await world.api(who, 'DELETE', path)).status).toBe(204)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    await until(async () => !(await serves(client)), 3_000)
    expect((await world.api(who, 'GET', path)).status).toBe(404)
    expect((await world.api(who, 'DELETE', path)).status).toBe(404)
    return { action: 'client.delete', target: client.client_id, after: undefined }
  },

  'revokes one token of a list': async (world, who) => {
    const { newClient, tokensOf } = world
    const client = await newClient()
    const { access_token: token } = await tokensOf(client)
    const path = `/admin/api/tokens?client_id=${client.client_id}`
    const { body } = await world.api<Items<{ jti: string; exp: number }>>(who, 'GET', path)
    const [listed, ...others] = body.items
    expect([listed, others]).toMatchObject([{ scope: 'read write', revoked: false }, []])
    const { jti, exp } = listed ?? expect.unreachable()
    expect((await world.api(who, 'POST', '/admin/api/tokens/revoke', { jti, exp })).status).toBe(204)
    expect(await isActiveFor(world, token)).toBe(false)
    expect((await world.done('GET', path)).items).toMatchObject([{ jti, revoked: true }])
    return { action: 'token.end', target: jti }
  },

  'revokes a refresh token with its whole grant': async (world, who) => {
    const { secrets, newClient, newUser, tokensOf } = world
    const [client, user] = [await newClient(), await newUser()]
    const { access_token: token, refresh_token: refreshToken = '' } = await tokensOf(client, user)
    secrets.add(token).add(refreshToken)
    const ended = await world.api(who, 'POST', '/admin/api/tokens/revoke', { token: refreshToken })
    expect(ended.status).toBe(204)
    expect(await isActiveFor(world, token)).toBe(false)
    const { items } = await world.done<Items<{ grant_id: string }>>(
      'GET',
      `/admin/api/tokens?user_id=${user.user_id}`,
    )
    expect(items).toMatchObject([{ username: user.username, revoked: true }])
    return { action: 'token.end', target: items[0]?.grant_id ?? '' }
  },

  'rotates the signing key and keeps issued tokens valid': async (world, who) => {
    const { newClient, tokensOf } = world
    const { access_token: token } = await tokensOf(await newClient())
    type Rotation = { kid: string; previous: { kid: string }[] }
    const { status, body } = await world.api<Rotation>(who, 'POST', '/admin/api/keys/rotate')
    const { kid, ...rotated } = body
    expect([status, rotated]).toMatchObject([
      200,
      { algorithm: 'HS256', created_at: expect.any(String), previous: expect.any(Array) },
    ])
    expect(await isActiveFor(world, token)).toBe(true)
    type Key = { kid: string; active: boolean; verifies_until?: string }
    const { items } = (await world.api<Items<Key>>(who, 'GET', '/admin/api/keys')).body
    expect(items[0]).toMatchObject({ kid, active: true })
    expect(items.slice(1)).toMatchObject(rotated.previous)
    return { action: 'signing_key.rotate', target: kid }
  },
}
