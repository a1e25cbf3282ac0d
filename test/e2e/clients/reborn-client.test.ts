import { randomUUID } from 'node:crypto'
import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { introspectionOf } from '@gatehouse/test/oauth'
import * as client from 'openid-client'
import { beforeAll, expect, test } from 'vitest'
import {
  asAdministrator,
  callback,
  createPerson,
  type Person,
  type Provider,
  startProvider,
} from '../openid/openid-world.ts'

let provider: Provider
let ann: Person
beforeAll(async () => {
  provider = await startProvider()
  ann = await createPerson(provider)
}, 60_000)

const withId = (client_id: string) =>
  provider.createClient({ client_id, client_name: `The shop ${randomUUID()}`, scope: 'openid profile email' })
const remove = (id: string) =>
  asAdministrator(provider.system, provider.root, 'DELETE', `/admin/api/clients/${id}`)

/** Asks for a code in Ann's browser. @returns the code if she was not asked, else the page's text */
async function ask(id: string, jar: CookieJar) {
  const verifier = client.randomPKCECodeVerifier()
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: id, redirect_uri: callback, scope: 'openid email' },
    ...{ code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  })
  const answer = await browse(provider.system, jar, `/oauth/authorize?${query}`)
  const at = answer.headers.get('location')
  const code = at?.startsWith(callback) ? new URL(at).searchParams.get('code') : null
  return { code, verifier, page: code ? '' : `${answer.status} ${at} ${await answer.text()}` }
}

const allow = (page: string) =>
  submit(provider.system, ann.jar, '/oauth/consent', { ...hiddenFields(page), decision: 'allow' })

test('a client with the id of a deleted one gets nothing of what users gave that one', async () => {
  const id = `shop-${randomUUID()}`
  const first = await withId(id)
  const asked = await ask(id, ann.jar)
  const answer = await allow(asked.page)
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const redeemed = await provider.system.form('/oauth/token', {
    ...{ grant_type: 'authorization_code', code, code_verifier: asked.verifier, redirect_uri: callback },
    ...{ client_id: id, client_secret: first.client_secret },
  })
  const tokens = (await redeemed.json()) as { access_token: string; refresh_token: string }
  const remembered = await ask(id, ann.jar)
  expect(remembered.code).toBeTruthy()

  expect((await remove(id)).status).toBe(204)
  const second = await withId(id)
  const again = await ask(id, ann.jar)
  expect([again.code, again.page]).toEqual([null, expect.stringContaining('decision')])
  const redeem = (fields: Record<string, string>) =>
    provider.system.form('/oauth/token', { ...fields, client_id: id, client_secret: second.client_secret })
  const old = { code: remembered.code ?? '', code_verifier: remembered.verifier, redirect_uri: callback }
  expect((await redeem({ grant_type: 'authorization_code', ...old })).status).toBe(400)
  expect((await redeem({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status).toBe(
    400,
  )
  expect(await introspectionOf(provider.system, tokens.access_token)).toBe('{"active":false}')
})

test('a consent page from before does not count for the next client with its id', async () => {
  const id = `shop-${randomUUID()}`
  await withId(id)
  const { page } = await ask(id, ann.jar)
  await remove(id)
  await withId(id)
  expect((await allow(page)).status).toBeGreaterThanOrEqual(400)
  const again = await ask(id, ann.jar)
  expect([again.code, again.page]).toEqual([null, expect.stringContaining('decision')])
})

test('a client with an id that was asked for before is known once its creation is answered', async () => {
  const id = `shop-${randomUUID()}`
  const chosen = { client_id: id, client_secret: `secret-${randomUUID()}` }
  const metadata = {
    ...chosen,
    ...{ client_name: 'The shop', redirect_uris: [callback], scope: 'openid email read' },
    grant_types: ['authorization_code', 'client_credentials'],
  }
  const token = () => provider.system.form('/oauth/token', { grant_type: 'client_credentials', ...chosen })
  const both = async () => [(await token()).status, (await ask(id, ann.jar)).page.slice(0, 3)]
  expect(await both()).toEqual([401, '401'])
  await provider.createClient(metadata)
  expect(await both()).toEqual([200, '200'])

  await remove(id)
  expect(await both()).toEqual([401, '401'])
  const { system, root } = provider
  const body = { clients: [metadata] }
  const imported = await asAdministrator(system, root, 'POST', '/admin/api/clients/import', body)
  expect(await imported.json()).toMatchObject({ results: [{ outcome: 'created' }] })
  expect(await both()).toEqual([200, '200'])
})
