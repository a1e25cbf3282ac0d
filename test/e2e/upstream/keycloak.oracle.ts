import { browse } from '@gatehouse/test/browser/browser-login'
import { keycloakDistribution } from '@gatehouse/test/servers/keycloak/distribution'
import { keycloakStart, startKeycloak, type TestKeycloak } from '@gatehouse/test/servers/keycloak/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isActive } from '../logins/login-people.ts'
import {
  addConnection,
  type Connected,
  connect,
  patience,
  settingsFor,
  upstreamContract,
  visitorOf,
} from './contract.ts'
import { addUser, makeRealm, realm, realmProvider } from './keycloak-realm.ts'
import { fillIn } from './provider-pages.ts'
import { logInToApp, startUpstreamWorld } from './upstream-world.ts'

const home = await keycloakDistribution()

describe.skipIf(!home)('Keycloak', () => {
  let keycloak: TestKeycloak
  let connected: Connected

  beforeAll(async () => {
    keycloak = await startKeycloak(home as string)
    await makeRealm(keycloak)
    connected = await connect(await startUpstreamWorld(), realmProvider(keycloak))
  }, keycloakStart)
  afterAll(async () => {
    await connected?.world.system.stop()
    await keycloak?.close()
  })

  upstreamContract(() => connected)

  /** Somebody new who has logged in to the app, and a look at whether they still are. */
  async function loggedIn(username: string) {
    const { world, connection } = connected
    const user = await addUser(keycloak, username)
    const visitor = visitorOf(connected, user)
    const { accessToken } = await logInToApp(world, visitor, connection)
    const there = async () => ({
      account: (await browse(world.system, visitor.jar, '/account')).status,
      token: await isActive(world.system, accessToken),
    })
    expect(await there()).toEqual({ account: 200, token: true })
    return { user, visitor, there }
  }

  test('a login that is too old for the app is made anew there, and says when', async () => {
    const { world, connection } = connected
    const visitor = visitorOf(connected, await addUser(keycloak, 'max'))
    const first = await logInToApp(world, visitor, connection, { max_age: '3600' })
    expect(visitor.wasAsked()).toBe(true)
    // Another browser session here, and the same one there: the login there is young enough.
    visitor.jar.clear()
    const second = await logInToApp(world, visitor, connection, { max_age: '3600' })
    expect([visitor.wasAsked(), second.claims.auth_time]).toEqual([false, first.claims.auth_time])
    await expect.poll(() => Math.floor(Date.now() / 1000) - Number(first.claims.auth_time)).toBeGreaterThan(2)
    const third = await logInToApp(world, visitor, connection, { max_age: '1' })
    expect(visitor.wasAsked()).toBe(true)
    expect(Number(third.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time))
  })

  test('a logout at Keycloak by an administrator ends the login here, and no other', async () => {
    const [one, other] = [await loggedIn('lena'), await loggedIn('mara')]
    await keycloak.admin('POST', `/${realm}/users/${one.user.id}/logout`)
    await expect.poll(one.there).toEqual({ account: 302, token: false })
    expect(await other.there()).toEqual({ account: 200, token: true })
  })

  test('a logout at Keycloak in the browser ends the login here', async () => {
    const { user, visitor, there } = await loggedIn('nora')
    const page = await browse(keycloak, visitor.there, `/realms/${realm}/protocol/openid-connect/logout`)
    const done = await fillIn(keycloak, { ...user, jar: visitor.there }, await page.text())
    expect(done.status).toBeLessThan(400)
    await expect.poll(there).toEqual({ account: 302, token: false })
  })

  test('a logout is taken at once after a rotation of the keys', { timeout: patience }, async () => {
    const { user, there } = await loggedIn('olga')
    await connected.provider.rotateKeys()
    await logInToApp(connected.world, visitorOf(connected, user), connected.connection)
    await keycloak.admin('POST', `/${realm}/users/${user.id}/logout`)
    await expect.poll(there, { timeout: 10_000 }).toEqual({ account: 302, token: false })
  })

  test('a client that authenticates with a key logs people in', async () => {
    const { world, provider } = connected
    const { client_secret: _, ...settings } = settingsFor(provider)
    const byKey = {
      ...settings,
      name: 'By key',
      client_id: 'by-key',
      client_authentication: 'private_key_jwt',
    }
    const connection = await addConnection(world, byKey)
    const keysAt = `${world.system.baseUrl}/auth/connections/${connection.connection_id}/jwks`
    await keycloak.admin('POST', `/${realm}/clients`, {
      ...{ clientId: 'by-key', publicClient: false, redirectUris: [connection.redirect_uri] },
      ...{
        clientAuthenticatorType: 'client-jwt',
        attributes: { 'use.jwks.url': 'true', 'jwks.url': keysAt },
      },
    })
    const login = await logInToApp(world, visitorOf(connected, await addUser(keycloak, 'paul')), connection)
    expect(login.claims.sub).toEqual(expect.any(String))
  })
})
