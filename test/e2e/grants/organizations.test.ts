import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf, expectRefusal } from '@gatehouse/test/oauth'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  actor,
  addPerson,
  identityOf,
  type Person,
  password,
  redeem,
  redirectUri,
  refresh,
  startTwoReplicas,
  type TokenAnswer,
  type TwoReplicas,
  tokensOf,
} from '../logins/login-people.ts'
import { asAdministrator } from '../openid/openid-world.ts'
import { isChoice, isConsent, Visit } from './organization-visits.ts'

type Organization = { organization_id: string; slug: string; name: string }
type Tokens = TokenAnswer & { refresh_token: string; id_token: string }

let replicas: TwoReplicas
let system: TestSystem
let root: CookieJar
let acme: Organization
let globex: Organization
beforeAll(async () => {
  replicas = await startTwoReplicas({ OAUTH2_PROFILE: 'openid' })
  system = replicas.system
  const identity = identityOf(system)
  const administrator = { username: 'root', password, admin: true, attributes: undefined, actor }
  await identity.createUser(administrator).finally(() => identity.close())
  root = await logIn(system, 'root', password)
  acme = await addOrganization('acme')
  globex = await addOrganization('globex')
})
afterAll(() => replicas?.stop())

async function admin<Body>(method: string, path: string, body?: object): Promise<Body> {
  const response = await asAdministrator(system, root, method, `/admin/api/${path}`, body)
  const text = await response.text()
  expect([response.status < 300, text]).toEqual([true, text])
  return (text === '' ? {} : JSON.parse(text)) as Body
}
const addOrganization = (slug: string, settings: object = {}) =>
  admin<Organization>('POST', 'organizations', { slug, name: `The ${slug}`, ...settings })
const changeMembers = ({ organization_id: id }: Organization, change: object) =>
  admin('PATCH', `organizations/${id}/members`, change)
const join = (person: Person, ...organizations: Organization[]) =>
  Promise.all(
    organizations.map((one) => changeMembers(one, { set: [{ user_id: person.userId, role: 'member' }] })),
  )
async function memberOf(...organizations: Organization[]) {
  const person = await addPerson(system)
  await join(person, ...organizations)
  return person
}
const addClient = (metadata: object = {}) =>
  admin<RegisteredClient>('POST', 'clients', {
    ...{ client_name: 'Notes', redirect_uris: [redirectUri], organizations: 'optional' },
    ...{ scope: 'openid organization read', grant_types: ['authorization_code', 'refresh_token'] },
    ...metadata,
  })

const visiting = (
  person: Pick<Person, 'jar'>,
  client: RegisteredClient,
  changes: Record<string, string> = {},
) => new Visit(system, person, client, changes)

async function redeemed(client: RegisteredClient, visit: Visit, to: URLSearchParams): Promise<Tokens> {
  expect(to.get('error')).toBeNull()
  const code = { code: to.get('code') ?? '', code_verifier: visit.verifier, redirect_uri: redirectUri }
  return (await tokensOf(await redeem(system, credentialsOf(client), code))) as Tokens
}
/** Logs a person in to a client for an organization that the client names, and they agree. */
async function logInFor(person: Person, client: RegisteredClient, { slug }: Organization): Promise<Tokens> {
  const visit = visiting(person, client, { organization: slug })
  const { page, to } = await visit.begin()
  return redeemed(client, visit, isConsent(page) ? (await visit.allow(page)).to : to)
}
/** The answers of the two gateways about a token. */
const introspections = ({ access_token: token }: Pick<Tokens, 'access_token'>) =>
  Promise.all(
    replicas.gateways.map(async (gateway) => {
      const answer = await system.form(`${gateway}/oauth/introspect`, { token })
      return (await answer.json()) as { active: boolean; org_id?: string }
    }),
  )
const inactive = [{ active: false }, { active: false }]
const errorIn = (to: URLSearchParams) => [to.get('error'), to.get('error_description')]
const notTheirs = ['access_denied', 'The user cannot act in this organization.']

describe('a user of two organizations', () => {
  test('chooses one for the app, agrees, and each token says which', async () => {
    const [person, client] = [await memberOf(acme, globex), await addClient()]
    const visit = visiting(person, client)
    const chooser = await visit.begin()
    expect([isChoice(chooser.page), chooser.page.includes('The acme')]).toEqual([true, true])
    const consent = await visit.choose(chooser.page, globex)
    expect(isConsent(consent.page)).toBe(true)
    expect(consent.page).toContain('<strong><bdi>The globex</bdi></strong>')
    const tokens = await redeemed(client, visit, (await visit.allow(consent.page)).to)
    const told = { org_id: globex.organization_id, org_name: 'The globex', org_slug: 'globex' }
    expect(claimsOf(tokens.access_token)).toMatchObject({ org_id: globex.organization_id })
    expect(claimsOf(tokens.id_token)).toMatchObject(told)
    const authorization = `Bearer ${tokens.access_token}`
    const userinfo = await system.request('/oauth/userinfo', { headers: { authorization } })
    expect(await userinfo.json()).toMatchObject({ sub: person.userId, ...told })
    const active = { active: true, org_id: globex.organization_id }
    expect(await introspections(tokens)).toMatchObject([active, active])
    const next = (await tokensOf(await refresh(system, client, tokens.refresh_token))) as Tokens
    expect(claimsOf(next.access_token)).toMatchObject({ org_id: globex.organization_id })
  })

  test('chooses for each app and each login by itself, and is asked for consent once for each organization', async () => {
    const [person, notes, mail] = [await memberOf(acme, globex), await addClient(), await addClient()]
    await logInFor(person, notes, acme)
    const again = visiting(person, notes)
    const chooser = await again.begin()
    expect(isChoice(chooser.page)).toBe(true)
    const tokens = await redeemed(notes, again, (await again.choose(chooser.page, acme)).to)
    expect(claimsOf(tokens.access_token)).toMatchObject({ org_id: acme.organization_id })
    expect(isConsent((await again.begin().then(({ page }) => again.choose(page, globex))).page)).toBe(true)
    expect(isChoice((await visiting(person, mail).begin()).page)).toBe(true)
  })

  test('chooses none where the app needs none, and is then in none', async () => {
    const [person, client] = [await memberOf(acme), await addClient()]
    const visit = visiting(person, client)
    const consent = await visit.choose((await visit.begin()).page, 'none')
    const tokens = await redeemed(client, visit, (await visit.allow(consent.page)).to)
    expect(claimsOf(tokens.access_token)).not.toHaveProperty('org_id')
  })

  test('is not asked by prompt=none', async () => {
    const [person, client] = [await memberOf(acme, globex), await addClient()]
    await logInFor(person, client, acme)
    const silent = async (changes: Record<string, string>) =>
      (await visiting(person, client, { prompt: 'none', ...changes }).begin()).to
    expect((await silent({})).get('error')).toBe('interaction_required')
    expect((await silent({ organization: 'globex' })).get('error')).toBe('consent_required')
    expect((await silent({ organization: 'acme' })).get('code')).toBeTruthy()
  })
})

test('an organization that is unknown, disabled or somebody else’s is refused in one and the same way, named or forged', async () => {
  const [person, client, off] = [
    await memberOf(acme, globex),
    await addClient(),
    await addOrganization('gone'),
  ]
  const strange = await addOrganization('strange')
  await join(person, off)
  await admin('PATCH', `organizations/${off.organization_id}`, { disabled: true })
  for (const organization of [
    'strange',
    strange.organization_id,
    'gone',
    off.organization_id,
    'nobody',
    'NO',
  ]) {
    const named = await visiting(person, client, { organization }).begin()
    expect([organization, ...errorIn(named.to)]).toEqual([organization, ...notTheirs])
    const forging = visiting(person, client)
    const forged = await forging.choose((await forging.begin()).page, organization)
    expect([organization, ...errorIn(forged.to)]).toEqual([organization, ...notTheirs])
  }
})

test('a choice is void for another account that logs in before the answer to the consent page', async () => {
  const [ann, client] = [await memberOf(acme, globex), await addClient()]
  const bob = await memberOf(acme, globex)
  const visit = visiting(ann, client)
  const consent = await visit.choose((await visit.begin()).page, globex)
  await submit(system, ann.jar, '/auth/login', { username: bob.username, password })
  expect((await visit.allow(consent.page)).to.get('code')).toBeNull()
  expect(isChoice((await visit.open(visit.continuation)).page)).toBe(true)
})

describe.each([
  [
    'a membership that is taken',
    (person: Person) => changeMembers(acme, { remove: [person.userId] }),
    (person: Person) => join(person, acme),
  ],
  [
    'an organization that is disabled',
    () => admin('PATCH', `organizations/${acme.organization_id}`, { disabled: true }),
    () => admin('PATCH', `organizations/${acme.organization_id}`, { disabled: false }),
  ],
] as const)('%s', (_, take, giveBack) => {
  test('ends access token, refresh token and code before the administrator is answered, on two replicas, for ever', async () => {
    const [person, client] = [await memberOf(acme, globex), await addClient()]
    const [tokens, elsewhere] = [await logInFor(person, client, acme), await logInFor(person, client, globex)]
    const visit = visiting(person, client, { organization: 'acme' })
    const code = (await visit.begin()).to.get('code') ?? ''
    await take(person)
    expect(await introspections(tokens)).toEqual(inactive)
    const ended = async () => {
      await expectRefusal(await refresh(system, client, tokens.refresh_token), 400, 'invalid_grant')
      const sent = { code, code_verifier: visit.verifier, redirect_uri: redirectUri }
      await expectRefusal(await redeem(system, credentialsOf(client), sent), 400, 'invalid_grant')
      expect(await introspections(tokens)).toEqual(inactive)
    }
    await ended()
    expect(await introspections(elsewhere)).toMatchObject([{ active: true }, { active: true }])
    await giveBack(person)
    await ended()
    const anew = await logInFor(person, client, acme)
    expect(await introspections(anew)).toMatchObject([{ active: true }, { active: true }])
  })
})

test('a consent in an organization is listed with its name, and withdrawn by itself', async () => {
  const [person, client] = [await memberOf(acme, globex), await addClient({ client_name: 'Ledger' })]
  const [inAcme, inGlobex] = [await logInFor(person, client, acme), await logInFor(person, client, globex)]
  const account = await (await browse(system, person.jar, '/account')).text()
  const forms = account.split('action="/account/apps/withdraw"').slice(1).map(hiddenFields)
  const { client_id } = client
  const own = forms.filter((form) => form.client_id === client_id)
  expect(own.map(({ organization_id }) => organization_id).sort()).toEqual(
    [acme, globex].map(({ organization_id }) => organization_id).sort(),
  )
  expect(account).toContain('in the organization <bdi>The acme</bdi>')
  await submit(system, person.jar, '/account/apps/withdraw', {
    client_id,
    organization_id: acme.organization_id,
  })
  expect(await introspections(inAcme)).toEqual(inactive)
  expect(await introspections(inGlobex)).toMatchObject([{ active: true }, { active: true }])
  expect(isConsent((await visiting(person, client, { organization: 'acme' }).begin()).page)).toBe(true)
})

test('a client that an organization owns acts in it until it is disabled', async () => {
  const own = await addOrganization('owner')
  const client = await addClient({
    organization: own.organization_id,
    grant_types: ['client_credentials'],
    scope: 'read',
  })
  const work = (organization?: string) =>
    system.form('/oauth/token', {
      ...{ grant_type: 'client_credentials', ...credentialsOf(client) },
      ...(organization !== undefined && { organization }),
    })
  const tokens = (await tokensOf(await work())) as Tokens
  expect(claimsOf(tokens.access_token)).toMatchObject({ org_id: own.organization_id, sub: client.client_id })
  expect((await work('owner')).status).toBe(200)
  await expectRefusal(await work('acme'), 400, 'unauthorized_client')
  await admin('PATCH', `organizations/${own.organization_id}`, { disabled: true })
  expect(await introspections(tokens)).toEqual(inactive)
  await expectRefusal(await work(), 400, 'unauthorized_client')
  await admin('PATCH', `organizations/${own.organization_id}`, { disabled: false })
  expect(await introspections(tokens)).toEqual(inactive)
  const anew = (await tokensOf(await work())) as Tokens
  expect(await introspections(anew)).toMatchObject([{ active: true }, { active: true }])
  await admin('PATCH', `clients/${client.client_id}`, { organization: null })
  expect(await introspections(anew)).toEqual(inactive)
})

test('an organization that demands two factors leads there after it was chosen, and the page names it before the login', async () => {
  const strict = await addOrganization('strict', { second_factor_required: true })
  const [person, client] = [await memberOf(acme, strict), await addClient({ organizations: 'required' })]
  const visit = visiting(person, client)
  const next = await visit.choose((await visit.begin()).page, strict)
  expect(next.page).toContain('<h1>Add a second factor</h1>')
  const nobody = visiting({ jar: new Map() }, client, { organization: 'strict' })
  expect((await nobody.begin()).page).toContain('<strong><bdi>The strict</bdi></strong>')
})

test('a client that comes to need an organization, or to act in none, ends what no longer fits at the next refresh', async () => {
  const [person, client] = [await memberOf(acme), await addClient()]
  const inAcme = await logInFor(person, client, acme)
  const visit = visiting(person, client)
  const consent = await visit.choose((await visit.begin()).page, 'none')
  const inNone = await redeemed(client, visit, (await visit.allow(consent.page)).to)
  const set = (organizations: string) => admin('PATCH', `clients/${client.client_id}`, { organizations })
  await set('required')
  await expectRefusal(await refresh(system, client, inNone.refresh_token), 400, 'invalid_grant')
  const next = (await tokensOf(await refresh(system, client, inAcme.refresh_token))) as Tokens
  await set('off')
  await expectRefusal(await refresh(system, client, next.refresh_token), 400, 'invalid_grant')
})
