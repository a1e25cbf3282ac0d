import { logIn } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { basic, credentialsOf, introspectionOf, issueToken } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import { sharedAdmin } from '@gatehouse/test/system'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeFor, redeem, refresh, registerApp, tokensOf } from '../e2e/logins/login-people.ts'
import { type Addition, filesOf, isMade, type Made } from './addition.ts'
import { addedMethod } from './additions/client-authentication-method.ts'
import { addedGrant } from './additions/grant.ts'
import { copyCheckout, type Scratch } from './scratch.ts'
import { additions } from './table.ts'
import { startWorld, type World } from './world.ts'

// All additions of table.ts, made together in a copy of this checkout: first only their entries, for which the compiler asks for the
// rest as far as it does that today, then everything, and then each is looked for where users meet it.

const made: readonly (Addition & Made)[] = additions.filter(isMade)
const chromium = await program('chromium')

let scratch: Scratch
beforeAll(async () => {
  scratch = await copyCheckout()
})
afterAll(() => scratch?.remove())

test('the compiler asks for the rest of an addition where its table has a type', {
  timeout: 300_000,
}, async () => {
  await scratch.make(made.flatMap(({ entry }) => entry))
  await scratch.generate()
  const { files, output } = await scratch.compile()
  // It also names files that follow by themselves once the rest is there.
  const touched = new Set(made.flatMap(filesOf))
  expect(
    files.filter((file) => touched.has(file)),
    output,
  ).toEqual([...new Set(made.flatMap(({ asks }) => asks))].sort())
})

describe('with all additions made', { timeout: 300_000 }, () => {
  let world: World
  // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, of which each test reads another part.
  let document: any
  /** The variables of docs/reference/configuration.md. */
  let variables: string[]
  beforeAll(async () => {
    await scratch.make(made.flatMap(({ rest }) => rest))
    await scratch.generate()
    await scratch.buildConsole()
    document = JSON.parse(await scratch.text('docs/reference/openapi.json'))
    const configuration = await scratch.text('docs/reference/configuration.md')
    variables = [...configuration.matchAll(/^\| (\w+) \|/gm)].map(([, name = '']) => name)
    world = await startWorld(scratch, {
      OAUTH2_RATE_LIMIT_ENABLED: 'true',
      OAUTH2_RATE_LIMIT_REGISTRATION: '17',
      OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
      OAUTH2_GITLAB_CLIENT_ID: 'an id',
      OAUTH2_GITLAB_CLIENT_SECRET: 'a secret',
    })
    const scope = ['--scope', 'orders:read=See your orders']
    await world.gatehouse('resources', 'add', 'https://open.example', ...scope, '--open-registration', 'true')
    await world.gatehouse('resources', 'add', 'https://closed.example', ...scope)
    await world.gatehouse('resources', 'disable', 'https://closed.example')
  }, 300_000)
  afterAll(() => world?.stop())

  test('the compiler finds nothing wrong', async () => {
    expect((await scratch.compile()).output).toBe('')
  })

  test('a limit counts, and is in the configuration, in the document and among the limits of the API', async () => {
    expect(variables).toContain('OAUTH2_RATE_LIMIT_REGISTRATION')
    expect(JSON.stringify(document.paths['/clients/register'].post)).toContain(
      'OAUTH2_RATE_LIMIT_REGISTRATION',
    )
    expect(JSON.stringify(document.components.schemas.RateLimits)).toContain('`registration`')
    const answer = await world.system.json('/clients/register', {})
    expect(answer.headers.get('x-ratelimit-limit')).toBe('17')
    const { limits } = JSON.parse(await world.gatehouse('rate-limits', '--json'))
    expect(limits).toContainEqual({ name: 'registration', per_minute: 17 })
  })

  test('a page has its texts in every language', async () => {
    for (const language of ['en', 'zh-Hans', 'ar']) {
      const answer = await world.system.request('/house-rules', { headers: { 'accept-language': language } })
      expect(await answer.text()).toContain(`<h1>House rules: ${language}</h1>`)
    }
  })

  test('a filter of a list is in the document, and filters for the command line', async () => {
    const { parameters } = document.paths['/admin/api/resources'].get
    expect(parameters.map(({ name }: { name: string }) => name)).toContain('open')
    expect(await world.gatehouse('resources', 'list', '--help')).toContain('--open <true|false>')
    const identifiers = async (open: string) =>
      JSON.parse(await world.gatehouse('resources', 'list', '--open', open, '--json')).items.map(
        ({ identifier }: { identifier: string }) => identifier,
      )
    expect(await identifiers('true')).toEqual(['https://open.example'])
    expect(await identifiers('false')).toEqual(['https://closed.example'])
  })

  test('a column of a list is in the document and in the command line', async () => {
    expect(document.components.schemas.ResourceServer.properties).toHaveProperty('disabled_at')
    const [head, first, second] = (await world.gatehouse('resources', 'list')).split('\n')
    expect(head).toMatch(/disabled since/i)
    expect(first).toMatch(/^https:\/\/closed\.example .* \d{4}-\d\d-\d\d/)
    expect(second).not.toMatch(/ \d{4}-\d\d-\d\d/)
  })

  test.skipIf(!chromium)('a filter and a column of a list are in the console', async () => {
    const page = await world.openConsole('/admin/resources')
    await page.getByRole('columnheader', { name: 'Disabled since' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    await page.goto('/admin/resources?open=true')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(await page.locator('main').innerText()).toContain('Open: All')
  })

  test('an administered resource is created, listed, changed and deleted, and the audit log has it', async () => {
    const json = async (...words: string[]) =>
      JSON.parse(await world.gatehouse('bookmarks', ...words, '--json'))
    const { bookmark_id: id } = await json('create', 'Runbook', 'https://wiki.example')
    await json('create', 'Board', 'https://board.example')
    const names = async (...filters: string[]) =>
      (await json('list', ...filters)).items.map(({ name }: { name: string }) => name)
    expect(await names()).toEqual(['Board', 'Runbook'])
    expect(await names('--sort', '-name')).toEqual(['Runbook', 'Board'])
    expect(await names('--search', 'unb')).toEqual(['Runbook'])
    expect(await names('--address', 'https://board.example')).toEqual(['Board'])
    expect(await json('update', id, '--name', 'Handbook')).toMatchObject({ name: 'Handbook' })
    expect(await json('show', id)).toMatchObject({ name: 'Handbook', url: 'https://wiki.example' })
    await json('delete', id)
    expect(await names()).toEqual(['Board'])
    const { items } = JSON.parse(await world.gatehouse('audit', 'list', '--target', id, '--json'))
    expect(items.map(({ action }: { action: string }) => action)).toEqual([
      'bookmark.delete',
      'bookmark.update',
      'bookmark.create',
    ])
  })

  test.skipIf(!chromium)('an administered resource is in the console', async () => {
    const page = await world.openConsole('/admin/bookmarks/new')
    await page.getByLabel('Name').fill('Wiki')
    await page.getByLabel('Address').fill('https://wiki.example')
    await page.locator('main button[type=submit]').click()
    await page.getByRole('heading', { name: 'Wiki' }).waitFor()
    await page.goto('/admin/bookmarks')
    await page.getByRole('link', { name: 'Wiki' }).waitFor()
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Name', 'Address', 'Created'])
  })

  test('a grant is in discovery, in the document and in the form of clients, and issues tokens', async () => {
    const discovery = await (await world.system.request('/.well-known/oauth-authorization-server')).json()
    expect(discovery.grant_types_supported).toContain(addedGrant)
    const form = 'application/x-www-form-urlencoded'
    const { grant_type: type, assertion } =
      document.paths['/oauth/token'].post.requestBody.content[form].schema.properties
    expect(type.enum).toContain(addedGrant)
    expect(assertion.description).toContain(addedGrant)
    expect(document.components.schemas.ClientToCreate.properties.grant_types.items.enum).toContain(addedGrant)
    const grants = ['client_credentials', addedGrant]
    const client = await world.system.register({ grant_types: grants, scope: 'read write' })
    const own = await issueToken(world.system, client)
    const trade = (parameters: Record<string, string>) =>
      world.system.form(
        '/oauth/token',
        { grant_type: addedGrant, ...parameters },
        basic(client.client_id, client.client_secret),
      )
    expect(await (await trade({ assertion: own, scope: 'read' })).json()).toMatchObject({ scope: 'read' })
    expect(await (await trade({ assertion: `${own}x` })).json()).toMatchObject({ error: 'invalid_grant' })
    expect(await (await trade({})).json()).toMatchObject({ error: 'invalid_request' })
  })

  test('a fact goes from a request to each of its tokens, their introspection and the document', async () => {
    const { system } = world
    const names = document.paths['/oauth/authorize'].get.parameters.map(({ name }: { name: string }) => name)
    expect(names).toContain('dpop_jkt')
    const client = await registerApp(system)
    const own = { grant_type: 'client_credentials', ...credentialsOf(client) }
    const ofClient = await tokensOf(await system.form('/oauth/token', { ...own, dpop_jkt: 'own-key' }))
    const ofNone = await tokensOf(await system.form('/oauth/token', own))
    const { username, password } = sharedAdmin
    const person = { userId: '', username, jar: await logIn(system, username, password) }
    const code = await codeFor(system, person, client, { dpop_jkt: 'key-of-app' })
    const ofCode = await tokensOf(await redeem(system, credentialsOf(client), code))
    const ofRefresh = await tokensOf(await refresh(system, client, ofCode.refresh_token ?? ''))
    for (const [{ access_token: token }, jkt] of [
      [ofClient, 'own-key'],
      [ofNone, undefined],
      [ofCode, 'key-of-app'],
      [ofRefresh, 'key-of-app'],
    ] as const) {
      expect(claimsOf(token).jkt).toBe(jkt)
      expect(JSON.parse(await introspectionOf(system, token)).jkt).toBe(jkt)
    }
  })

  test('an endpoint is in discovery and in the document with its profiles and its limit, and answers', async () => {
    const field = 'pushed_authorization_request_endpoint'
    for (const path of ['openid-configuration', 'oauth-authorization-server']) {
      const discovery = await (await world.system.request(`/.well-known/${path}`)).json()
      expect(discovery[field]).toBe(`${discovery.issuer}/oauth/par`)
    }
    const { properties } = document.components.schemas.AuthorizationServerMetadata
    expect(properties[field]['x-gatehouse-profiles']).toEqual(['openid', 'mcp'])
    const operation = document.paths['/oauth/par'].post
    expect(operation['x-gatehouse-profiles']).toEqual(['openid', 'mcp'])
    expect(operation['x-gatehouse-rate-limit']).toMatchObject({ name: 'authorize', countedBy: 'client' })
    const redirectUri = 'https://app.example/cb'
    const { client_id: clientId } = await world.system.register({ redirect_uris: [redirectUri] })
    const push = (response_type: string) =>
      world.system.form('/oauth/par', {
        response_type,
        client_id: clientId,
        redirect_uri: redirectUri,
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
      })
    expect(await (await push('token')).json()).toMatchObject({ error: expect.any(String) })
    const answer = await push('code')
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-ratelimit-limit')).not.toBeNull()
    const { request_uri: requestUri } = await answer.json()
    const flow = requestUri.split(':').at(-1)
    const waiting = await world.system.request(`/oauth/continue?flow=${flow}`, { redirect: 'manual' })
    expect(waiting.status).toBe(302)
    expect(waiting.headers.get('location')).toContain('/auth/login')
  })

  test('an authentication method is in discovery, in the document and in the lists of the API, and proves who a client is', async () => {
    const discovery = await (await world.system.request('/.well-known/oauth-authorization-server')).json()
    expect(discovery.token_endpoint_auth_methods_supported).toContain(addedMethod)
    const method = document.components.schemas.ClientToCreate.properties.token_endpoint_auth_method
    expect(method.enum).toContain(addedMethod)
    expect(method.description).toContain(`\`${addedMethod}\` for a client`)
    expect(JSON.stringify(document.paths['/oauth/token'].post.requestBody)).toContain('client_assertion')
    const client = await generateKeyPair('ES256')
    const stranger = await generateKeyPair('ES256')
    const { client_id: id, client_secret: secret } = await world.system.register({
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: addedMethod,
      jwk: JSON.stringify(await exportJWK(client.publicKey)),
    })
    expect(secret).toBeUndefined()
    const tokenBy = async (key: CryptoKey, audience: string) => {
      const assertion = new SignJWT({ iss: id, sub: id, aud: audience })
      const client_assertion = await assertion
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('1 minute')
        .sign(key)
      const form = { grant_type: 'client_credentials', client_id: id, client_assertion }
      return (await world.system.form('/oauth/token', form)).json()
    }
    expect(await tokenBy(client.privateKey, discovery.issuer)).toMatchObject({ token_type: 'Bearer' })
    expect(await tokenBy(stranger.privateKey, discovery.issuer)).toMatchObject({ error: 'invalid_client' })
    expect(await tokenBy(client.privateKey, 'https://other.example')).toMatchObject({
      error: 'invalid_client',
    })
    const help = await world.gatehouse('client-authentication-failures', 'list', '--help')
    expect(help).toContain('wrong_assertion')
  })

  test('a provider is on the login page, in the document, in the configuration and in imports', async () => {
    const page = await (
      await world.system.request('/auth/login', { headers: { accept: 'text/html' } })
    ).text()
    expect(page).toContain('/auth/login/gitlab')
    expect(page).toContain('GitLab')
    expect(JSON.stringify(document.paths['/auth/login/{provider}'].get.parameters)).toContain('"gitlab"')
    expect(JSON.stringify(document.components.schemas.ImportedUser)).toContain('"gitlab"')
    const own = ['CLIENT_ID', 'CLIENT_SECRET', 'ISSUER'].map((name) => `OAUTH2_GITLAB_${name}`)
    expect(variables).toEqual(expect.arrayContaining(own))
  })
})
