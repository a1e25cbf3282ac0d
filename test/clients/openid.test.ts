import { program } from '@gatehouse/test/programs/programs'
import { beforeAll, describe } from 'vitest'
import { type Provider, startProvider } from '../e2e/openid/openid-world.ts'
import { goApp } from './go-app.ts'
import { keyfunc } from './keyfunc.ts'
import { authJs } from './libraries/auth-js.ts'
import { authlibOpenid } from './libraries/authlib-openid.ts'
import { betterAuthOpenid } from './libraries/better-auth.ts'
import { djangoOauthToolkit } from './libraries/django-oauth-toolkit.ts'
import { modAuthOpenidc } from './libraries/mod-auth-openidc.ts'
import { oauth4webapiWithOpenid } from './libraries/oauth4webapi-openid.ts'
import { expressApp } from './tutorials/express-app.ts'
import { flaskApp } from './tutorials/flask-app.ts'
import { nextApp } from './tutorials/next-app.ts'
import { viteApp } from './tutorials/vite-app.ts'

// Client libraries, used as in an app, one after the other with one OpenID provider.

const apache = await program('apache2')
const chromium = await program('chromium')
const django = await program('django-oauth-toolkit')
const flask = await program('flask-authlib')
const golang = await program('golang')
const newGolang = await program('golang-1.26')
const python = await program('python3')

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
