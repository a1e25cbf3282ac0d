import { browse, type CookieJar, logIn } from '@gatehouse/test/browser/browser-login'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { asAdministrator } from '../openid/openid-world.ts'
import { actor, addPerson, identityOf, password } from './login-people.ts'

let system: TestSystem
let idp: OpenIdStandIn
let connectionId: string
let organizationId: string
let root: CookieJar

beforeAll(async () => {
  idp = await startOpenIdStandIn('google')
  system = await startTestSystem({
    OAUTH2_PROFILE: 'openid',
    OAUTH2_FACTOR_KEY: 'the factor key of the tests, 32 characters',
    OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
    OAUTH2_RESILIENCE_ENABLED: 'true',
  })
  const identity = identityOf(system)
  await identity
    .createUser({ username: 'root', password, admin: true, attributes: undefined, actor })
    .finally(() => identity.close())
  root = await logIn(system, 'root', password)
  const admin = async (path: string, body: object) =>
    (await asAdministrator(system, root, 'POST', `/admin/api/${path}`, body)).json()
  organizationId = (await admin('organizations', { slug: 'acme', name: 'The secret acme' })).organization_id
  idp.register('https://nobody.example/cb')
  const { clientId: client_id, clientSecret: client_secret } = standInClient
  connectionId = (
    await admin('connections', {
      ...{ kind: 'oidc', name: 'Acme', issuer: idp.issuer, client_id, client_secret },
      organization: organizationId,
    })
  ).connection_id
})
afterAll(async () => {
  await system?.stop()
  await idp?.close()
})

test('nobody learns the name of an organization that is not theirs', async () => {
  const { jar } = await addPerson(system)
  const to = encodeURIComponent(`/account/organizations/${organizationId}`)
  const response = await browse(system, jar, `/auth/login?other=yes&return_to=${to}`)
  expect(await response.text()).not.toContain('The secret acme')
})

test('a provider of one organization that does not answer closes nothing to anybody else', async () => {
  const { jar } = await addPerson(system)
  idp.trouble = 'slow'
  const strangers = Array.from({ length: 10 }, () => browse(system, new Map(), `/auth/login/${connectionId}`))
  const statuses = await Promise.all(strangers.map(async (answer) => (await answer).status))
  const account = await browse(system, jar, '/account')
  expect([account.status, statuses]).toEqual([200, statuses])
})
