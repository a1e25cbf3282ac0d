import { program } from '@gatehouse/test/programs'
import { beforeAll, describe } from 'vitest'
import { type Provider, startProvider } from '../e2e/openid-world.ts'
import { authJs } from './auth-js.ts'
import { authlibOpenid } from './authlib-openid.ts'
import { betterAuthOpenid } from './better-auth.ts'
import { djangoOauthToolkit } from './django-oauth-toolkit.ts'
import { expressApp } from './express-app.ts'
import { flaskApp } from './flask-app.ts'
import { goApp } from './go-app.ts'
import { keyfunc } from './keyfunc.ts'
import { modAuthOpenidc } from './mod-auth-openidc.ts'
import { nextApp } from './next-app.ts'
import { oauth4webapiWithOpenid } from './oauth4webapi-openid.ts'
import { buildSpringApp, type SpringApp, springBoot } from './spring-boot.ts'
import { viteApp } from './vite-app.ts'

// Client libraries, used as in an app, one after the other with one OpenID provider.

const apache = await program('apache2')
const chromium = await program('chromium')
const django = await program('django-oauth-toolkit')
const flask = await program('flask-authlib')
const golang = await program('golang')
const newGolang = await program('golang-1.26')
const python = await program('python3')
const spring = await buildSpringApp()

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
const there = () => provider

describe.skipIf(!golang)('golang-jwt with keyfunc', () => keyfunc(there))
describe.skipIf(!python)('Authlib and PyJWT', () => authlibOpenid(there, python ?? ''))
describe('oauth4webapi', () => oauth4webapiWithOpenid(there))
describe.skipIf(!chromium)('a single-page app with oidc-client-ts', () => viteApp(there))
describe('Express with openid-client', () => expressApp(there))
describe('Next.js with openid-client', () => nextApp(there))
describe.skipIf(!flask)('Flask with Authlib', () => flaskApp(there, flask ?? ''))
describe.skipIf(!newGolang)('a Go app with go-oidc', () => goApp(there, newGolang ?? ''))
describe('Auth.js', () => authJs(there))
describe('Better Auth', () => betterAuthOpenid(there))
describe.skipIf(!apache)('mod_auth_openidc in Apache', () => modAuthOpenidc(there, apache ?? ''))
describe.skipIf(!django)('Django OAuth Toolkit', () => djangoOauthToolkit(there, django ?? ''))
describe.skipIf(!spring)('Spring Boot', () => springBoot(there, spring as SpringApp))
