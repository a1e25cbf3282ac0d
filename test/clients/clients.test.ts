import { program } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe } from 'vitest'
import { goOauth2 } from './go-oauth2.ts'
import { authlib } from './libraries/authlib.ts'
import { oauth4webapi } from './libraries/oauth4webapi.ts'
import { oidcClientTs } from './libraries/oidc-client-ts.ts'
import { openidClient, withoutRefreshTokens } from './libraries/openid-client.ts'
import { passportOauth2 } from './libraries/passport-oauth2.ts'
import { simpleOauth2 } from './libraries/simple-oauth2.ts'
import { startSinglePageApp } from './tutorials/single-page-app.ts'
import { logPersonIn, startSystemWithPerson, type World } from './world.ts'

// Client libraries, used as in an app, one after the other with one system.

const chromium = await program('chromium')
const python = await program('python3')
const go = await program('go')

describe('with refresh tokens, public clients and an app on another origin', () => {
  let world: World
  beforeAll(async () => {
    const app = await startSinglePageApp()
    const system = await startSystemWithPerson({
      OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
      OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true',
      OAUTH2_CORS_ORIGINS: app.origin,
    })
    world = { system, app, jar: await logPersonIn(system) }
  })
  afterAll(async () => {
    await world?.app.close()
    await world?.system.stop()
  })
  const there = () => world

  describe('openid-client', () => openidClient(there))
  describe('oauth4webapi', () => oauth4webapi(there))
  describe('simple-oauth2', () => simpleOauth2(there))
  describe('passport-oauth2', () => passportOauth2(there))
  describe.skipIf(!chromium)('oidc-client-ts in Chromium', () => oidcClientTs(there))
  describe.skipIf(!python)('Authlib', () => authlib(there, python ?? ''))
  describe.skipIf(!go)('golang.org/x/oauth2', () => goOauth2(there, go ?? ''))
})

describe('with the defaults', () => {
  let world: Pick<World, 'system' | 'jar'>
  beforeAll(async () => {
    const system = await startSystemWithPerson()
    world = { system, jar: await logPersonIn(system) }
  })
  afterAll(() => world?.system.stop())

  describe('openid-client', () => withoutRefreshTokens(() => world))
})
