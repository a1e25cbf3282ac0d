import { until } from '@gatehouse/test/oauth'
import { expect } from 'vitest'
import type { Action } from './admin-action.ts'
import { type Items, isActiveFor, isLoggedIn, sessionOf } from './admin-world.ts'

/** An administrator's actions on users. */
export const userActions: Record<string, Action> = {
  'creates a user, who can log in': async (world, who) => {
    const { secrets } = world
    const [username, password] = [`new-${secrets.size}`, `the password of new ${secrets.size}`]
    secrets.add(password)
    const user = { username, password }
    const { status, body } = await world.api<{ user_id: string }>(who, 'POST', '/admin/api/users', user)
    expect([status, body]).toMatchObject([201, { username, admin: false }])
    const { user_id: userId } = body
    await sessionOf(world.system, username, password)
    expect(await world.done('GET', `/admin/api/users/${userId}`)).toMatchObject({
      ...{ user_id: userId, username, admin: false, disabled: false, has_password: true },
      social_accounts: [],
    })
    const again = await world.api(who, 'POST', '/admin/api/users', { username, password })
    expect([again.status, again.body]).toMatchObject([400, { error: 'invalid_request' }])
    return { action: 'user.create', target: userId, before: undefined }
  },

  'promotes a user, who then has access': async (world, who) => {
    const { newUser } = world
    const user = await newUser()
    const session = await sessionOf(world.system, user.username, user.password)
    expect((await world.api(session, 'GET', '/admin/api/keys')).status).toBe(403)
    const { status, body } = await world.api(who, 'PATCH', `/admin/api/users/${user.user_id}`, {
      admin: true,
    })
    expect([status, body]).toMatchObject([200, { admin: true }])
    expect((await world.api(session, 'GET', '/admin/api/keys')).status).toBe(200)
    return {
      ...{ action: 'user.update', target: user.user_id },
      ...{ before: { admin_role: null }, after: { admin_role: 'owner' } },
    }
  },

  'disables a user, which ends their sessions and revokes their tokens': async (world, who) => {
    const { newClient, newUser, tokensOf } = world
    const [client, user] = [await newClient(), await newUser()]
    const session = await sessionOf(world.system, user.username, user.password)
    const { access_token: token } = await tokensOf(client, user)
    const path = `/admin/api/users/${user.user_id}`
    const { status, body } = await world.api(who, 'PATCH', path, { disabled: true })
    expect([status, body]).toMatchObject([200, { disabled: true, disabled_at: expect.any(String) }])
    expect(await isLoggedIn(world.system, session)).toBe(false)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    return { action: 'user.update', target: user.user_id }
  },

  'gives a user a generated password': async (world, who) => {
    const { secrets, newUser } = world
    const user = await newUser()
    const session = await sessionOf(world.system, user.username, user.password)
    const path = `/admin/api/users/${user.user_id}/password`
    const { status, body } = await world.api<{ generated_password: string }>(who, 'POST', path, {})
    const { generated_password: generated } = body
    secrets.add(generated)
    expect(status).toBe(200)
    expect(await isLoggedIn(world.system, session)).toBe(false)
    await expect(sessionOf(world.system, user.username, user.password)).rejects.toThrow()
    await sessionOf(world.system, user.username, generated)

    const chosen = 'another password of this user'
    secrets.add(chosen)
    const again = await world.api(who, 'POST', path, { new_password: chosen })
    expect([again.status, again.body]).toEqual([200, {}])
    await sessionOf(world.system, user.username, chosen)
    return { action: 'user.password.reset', target: user.user_id }
  },

  'ends one session of a user, then all': async (world, who) => {
    const { newUser } = world
    const user = await newUser()
    const sessions = await Promise.all(
      [1, 2, 3].map(() => sessionOf(world.system, user.username, user.password)),
    )
    const path = `/admin/api/users/${user.user_id}/sessions`
    const { items } = (await world.api<Items<{ session_id: string }>>(who, 'GET', path)).body
    expect(items).toHaveLength(3)
    const live = async () => {
      const states = await Promise.all(sessions.map((session) => isLoggedIn(world.system, session)))
      return states.filter(Boolean).length
    }
    expect((await world.api(who, 'DELETE', `${path}/${items[0]?.session_id}`)).status).toBe(204)
    expect(await live()).toBe(2)
    expect((await world.api(who, 'DELETE', path)).status).toBe(204)
    expect(await live()).toBe(0)
    return { action: 'user.sessions.end', target: user.user_id }
  },

  'revokes all tokens of a user': async (world, who) => {
    const { newClient, newUser, tokensOf } = world
    const [client, user] = [await newClient(), await newUser()]
    const { access_token: token } = await tokensOf(client, user)
    const { status } = await world.api(who, 'DELETE', `/admin/api/users/${user.user_id}/tokens`)
    expect(status).toBe(204)
    expect(await isActiveFor(world, token)).toBe(false)
    return { action: 'tokens.end', target: user.user_id }
  },

  'deletes a user': async (world, who) => {
    const { newClient, newUser, tokensOf } = world
    const [client, user] = [await newClient(), await newUser()]
    const { access_token: token } = await tokensOf(client, user)
    const path = `/admin/api/users/${user.user_id}`
    expect((await world.api(who, 'DELETE', path)).status).toBe(204)
    await until(async () => !(await isActiveFor(world, token)), 3_000)
    expect((await world.api(who, 'GET', path)).status).toBe(404)
    return { action: 'user.delete', target: user.user_id, after: undefined }
  },
}
