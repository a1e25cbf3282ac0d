import { authorize, browse } from '@gatehouse/test/browser/browser-login'
import { expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import { type DocumentSite, startDocumentSite } from '@gatehouse/test/servers/client-id-documents'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionOf } from '../administration/admin-world.ts'
import {
  addPerson,
  authorizationRequest,
  codeFor,
  isActive,
  type Person,
  pkce,
  query,
  redeem,
  tokensOf,
} from '../logins/login-people.ts'

const openssl = await program('openssl')

describe.skipIf(openssl === undefined)('a client with a metadata document', () => {
  let site: DocumentSite
  let system: TestSystem
  let person: Person
  beforeAll(async () => {
    site = await startDocumentSite(openssl as string)
    system = await startTestSystem({
      OAUTH2_PROFILE: 'mcp',
      OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true',
      OAUTH2_SEED_USERNAME: sharedAdmin.username,
      OAUTH2_SEED_PASSWORD: sharedAdmin.password,
      ...site.variables,
    })
    await untilReady(system)
    person = await addPerson(system)
  })
  afterAll(async () => {
    await system?.stop()
    await site?.close()
  })

  let documents = 0
  function published(document: Record<string, unknown> = {}) {
    documents += 1
    const path = `/client-${documents}`
    site.publish(path, document)
    return { path, client_id: site.clientId(path) }
  }
  const begin = (client: { client_id: string }, changes: Record<string, string> = {}) => {
    const request = { ...authorizationRequest(client, pkce().challenge), ...changes }
    const path = `/oauth/authorize?${new URLSearchParams(request)}`
    // From a network for each document, because each has its share of the readings in a minute.
    const address = `198.51.100.${documents}`
    const headers = { accept: 'application/json', 'x-forwarded-for': address }
    return browse(system, person.jar, path, { headers })
  }
  const noLongerFresh = ({ client_id }: { client_id: string }) =>
    query(system, 'update clients.client_id_documents set fresh_until = now() where client_id = $1', [
      client_id,
    ])

  test('is announced in discovery', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server'])
      expect(await (await system.request(`/.well-known/${name}`)).json()).toMatchObject({
        client_id_metadata_document_supported: true,
        code_challenge_methods_supported: ['S256'],
      })
  })

  test('gets tokens and refreshes them without having registered', async () => {
    const { client_id } = published({ token_endpoint_auth_method: 'none' })
    const code = await codeFor(system, person, { client_id }, { scope: 'read' })
    const tokens = await tokensOf(await redeem(system, { client_id }, code))
    expect(tokens).toMatchObject({ scope: 'read', refresh_token: expect.any(String) })
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', client_id }
    const next = await tokensOf(await system.form('/oauth/token', form))
    expect(await isActive(system, next.access_token)).toBe(true)
  })

  test('is always asked for consent, on a page that shows its host and the host of the redirect', async () => {
    const client = published({ client_name: 'Trusted Bank' })
    for (let time = 1; time <= 2; time += 1) {
      const page = await (await begin(client)).text()
      expect(page).toContain(`<bdi>Trusted Bank (${new URL(client.client_id).host})</bdi> wants access`)
      expect(page).toContain('<strong><bdi>app.example</bdi></strong>')
      expect(page).not.toContain('can pose as it')
      await authorize(system, person.jar, authorizationRequest(client, pkce().challenge))
    }
  })

  test('whose redirects all stay on the device gets a warning', async () => {
    const redirect_uri = 'http://127.0.0.1:5000/cb'
    const client = published({ redirect_uris: [redirect_uri, 'http://localhost/cb'] })
    expect(await (await begin(client, { redirect_uri })).text()).toContain('can pose as it')
  })

  test('has in the account the name under which the user agreed', async () => {
    const client = published({ client_name: 'First name' })
    await codeFor(system, person, client)
    site.publish(client.path, { client_name: 'Second name' })
    await noLongerFresh(client)
    expect(await (await begin(client)).text()).toContain('Second name')
    const account = await (await browse(system, person.jar, '/account')).text()
    expect(account).toContain(`First name (${new URL(client.client_id).host})`)
    expect(account).not.toContain('Second name')
  })

  test('never gets the scope admin, nor a redirect URI that the document does not have', async () => {
    const client = published({ scope: 'admin' })
    await expectRefusal(await begin(client, { scope: 'admin' }), 400, 'invalid_scope')
    await expectRefusal(
      await begin(client, { redirect_uri: 'https://evil.example/' }),
      400,
      'invalid_request',
    )
  })

  test('whose document is gone or invalid is refused at its next request, and its tokens live on', async () => {
    const client = published()
    const { access_token } = await tokensOf(
      await redeem(system, { client_id: client.client_id }, await codeFor(system, person, client)),
    )
    site.remove(client.path)
    await noLongerFresh(client)
    const requests = site.requests()
    for (let time = 1; time <= 2; time += 1) await expectRefusal(await begin(client), 401, 'invalid_client')
    expect(site.requests()).toBe(requests + 2)
    expect(await isActive(system, access_token)).toBe(true)
    site.publish(client.path)
    expect((await begin(client)).status).toBe(200)
  })

  test('that takes a redirect URI away can no longer use it', async () => {
    const client = published({ redirect_uris: ['https://app.example/cb', 'https://app.example/other'] })
    expect((await begin(client)).status).toBe(200)
    site.publish(client.path, { redirect_uris: ['https://app.example/other'] })
    await noLongerFresh(client)
    await expectRefusal(await begin(client), 400, 'invalid_request')
  })

  test.each([
    'http://localhost/client',
    'https://localhost',
    'https://localhost/a/../b',
    'https://u@localhost/c',
  ])('cannot have the client_id %s', async (client_id) => {
    const requests = site.requests()
    await expectRefusal(await begin({ client_id }), 401, 'invalid_client')
    expect(site.requests()).toBe(requests)
  })

  test('is marked for administrators, who can disable it although its document stays', async () => {
    const client = published()
    const { access_token } = await tokensOf(
      await redeem(system, { client_id: client.client_id }, await codeFor(system, person, client)),
    )
    const root = await sessionOf(system, sharedAdmin.username, sharedAdmin.password)
    const path = `/admin/api/clients/${encodeURIComponent(client.client_id)}`
    expect(await (await system.request(path, { headers: root })).json()).toMatchObject({
      metadata_document: true,
      first_party: false,
    })
    const disabled = await system.request(path, {
      method: 'PATCH',
      headers: { ...root, 'content-type': 'application/json' },
      body: JSON.stringify({ disabled: true }),
    })
    expect(disabled.status).toBe(200)
    expect(await isActive(system, access_token)).toBe(false)
    await noLongerFresh(client)
    await expectRefusal(await begin(client), 401, 'invalid_client')
  })
})
