import { oneFactor, twoFactors } from '@gatehouse/proto/claims'
import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { enrolApp, proveFactor } from '@gatehouse/test/browser/second-factor'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { addUser, password } from '../logins/login-people.ts'
import { follow, type Provider, requestOf, startProvider } from './openid-world.ts'

const provider: Provider = await startProvider()
const { system } = provider
const relyingParty = await provider.createClient()
const config = await provider.configure(relyingParty)

let people = 0

/** A user who is logged in. */
async function newPerson(): Promise<{ username: string; jar: CookieJar }> {
  people += 1
  const username = `stepping-${process.pid}-${people}`
  await addUser(system, username)
  return { username, jar: await logIn(system, username, password) }
}

const essential = { claims: JSON.stringify({ id_token: { acr: { essential: true, value: twoFactors } } }) }

/** Sends the browser with a request, and gives the claims of the ID token once it is back at the client. */
async function begin(jar: CookieJar, parameters: Record<string, string>) {
  const { address, checks } = await requestOf(config, parameters)
  const arrival = await follow(system, jar, address, false)
  const claims = async (at = arrival.at) => {
    const tokens = await client.authorizationCodeGrant(config, at, checks)
    return tokens.claims() ?? expect.unreachable('no ID token')
  }
  return { ...arrival, claims }
}

/** Goes on from a page of the provider. */
const goOn = async (jar: CookieJar, path: string) => (await follow(system, jar, path, false)).at

test('discovery says which contexts there are', async () => {
  const metadata = await (await system.request('/.well-known/openid-configuration')).json()
  expect(metadata.acr_values_supported).toEqual([oneFactor, twoFactors])
})

test('an app that demands two factors leads a user who has none through the enrolment, and gets them', async () => {
  const { jar } = await newPerson()
  const { page, at, claims } = await begin(jar, essential)
  expect(at.pathname).toBe('/auth/second-factor')
  expect(page).toContain('Add a second factor')
  const returnTo = at.searchParams.get('return_to') ?? ''
  await enrolApp(system, jar)
  const got = await claims(await goOn(jar, returnTo))
  expect(got).toMatchObject({ acr: twoFactors, amr: ['pwd', 'otp', 'mfa'] })
})

test('a session that began without the second factor proves it for an app that demands or wants it', async () => {
  for (const parameters of [essential, { acr_values: twoFactors }]) {
    const { username, jar } = await newPerson()
    const elsewhere = await logIn(system, username, password)
    const app = await enrolApp(system, elsewhere)
    const { page, at, claims } = await begin(jar, parameters)
    expect(page).toContain('To continue, you also need your second factor.')
    const fields = hiddenFields(page)
    expect(fields).toMatchObject({ of: 'session', return_to: at.searchParams.get('return_to') })
    const answer = await proveFactor(system, jar, { ...fields, code: await app.nextCode() })
    expect(answer.status).toBe(303)
    const got = await claims(await goOn(jar, answer.headers.get('location') ?? ''))
    expect(got).toMatchObject({ acr: twoFactors, amr: ['pwd', 'otp', 'mfa'] })
  }
})

test('an app that only wants two factors gets one from a user who has no more', async () => {
  const { jar } = await newPerson()
  const { claims } = await begin(jar, { acr_values: twoFactors })
  expect(await claims()).toMatchObject({ acr: oneFactor, amr: ['pwd'] })
})

test('a login with two factors is enough for every demand', async () => {
  const { username, jar } = await newPerson()
  const app = await enrolApp(system, jar)
  const fresh: CookieJar = new Map()
  await submit(system, fresh, '/auth/login', { username, password })
  await proveFactor(system, fresh, { code: await app.nextCode() })
  expect(await (await begin(fresh, essential)).claims()).toMatchObject({ acr: twoFactors })
  const insisting = { id_token: { acr: { essential: true, values: [oneFactor] } } }
  const { claims } = await begin(fresh, { claims: JSON.stringify(insisting) })
  expect(await claims()).toMatchObject({ acr: oneFactor, amr: ['pwd', 'otp', 'mfa'] })
})

test('prompt=none never shows the page: the app is told that a login is needed', async () => {
  const { jar } = await newPerson()
  // The user has agreed before.
  await (await begin(jar, {})).claims()
  const { at } = await begin(jar, { ...essential, prompt: 'none' })
  expect(at.searchParams.get('error')).toBe('login_required')
})

test('prompt=login asks for the second factor too, and the time of the login is that of the last one', async () => {
  const { username, jar } = await newPerson()
  const app = await enrolApp(system, jar)
  const { at, page, claims } = await begin(jar, { prompt: 'login' })
  expect(at.pathname).toBe('/auth/login')
  const login = await submit(system, jar, '/auth/login', { ...hiddenFields(page), username, password })
  expect(login.headers.get('location')).toMatch(/^\/auth\/second-factor\?return_to=%2Foauth%2Fcontinue/)
  const asked = await (await browse(system, jar, login.headers.get('location') ?? '')).text()
  const answer = await proveFactor(system, jar, { ...hiddenFields(asked), code: await app.nextCode() })
  const got = await claims(await goOn(jar, answer.headers.get('location') ?? ''))
  expect(got).toMatchObject({ acr: twoFactors })
  expect(Date.now() / 1000 - Number(got.auth_time)).toBeLessThan(90)
})
