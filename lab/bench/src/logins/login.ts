import { hash, randomBytes } from 'node:crypto'
import { hiddenFields } from '@gatehouse/test/browser/browser-login'
import type { Client } from 'pg'
import { hashPassword } from '../../../../services/identity/src/passwords/password.ts'
import { BenchFailure } from '../failure.ts'
import type { Gatehouse } from '../gatehouse.ts'
import { post, send } from '../http.ts'

/** Each login comes from its own address, as with real people, because failures are counted by address. */
export const loginVariables = { OAUTH2_SERVER_TRUST_PROXY_HEADERS: 'true' }

const password = 'the password of everybody here'
/** Where the app of addPeople gets its codes. */
export const redirectUri = 'https://app.example/cb'
/** Enough users that nobody logs in twice at the same time. */
const users = 2_000

/** Users who have allowed a client access, and the client. */
export type People = {
  url: string
  /** The public base URL of the pages. */
  origin: string
  client: { client_id: string; client_secret: string }
  /** The hash of every user's password. */
  passwordHash: string
  password: string
}

/**
 * Registers a client, and writes users who have allowed it access straight into the database. All have the same hash, because
 * computing so many would take a minute.
 */
export async function addPeople(
  { url, system }: Pick<Gatehouse, 'url' | 'system'>,
  database: Client,
  scope = 'read',
  grantTypes: readonly string[] = ['authorization_code'],
): Promise<People> {
  const metadata = { client_name: 'bench', redirect_uris: [redirectUri], scope, grant_types: grantTypes }
  const answer = await post(`${url}/clients/register`, JSON.stringify(metadata), 'application/json')
  if (answer.status !== 201) throw new BenchFailure(`No client can be registered: ${answer.status}`)
  const { client_id, client_secret } = JSON.parse(answer.text)
  const passwordHash = await hashPassword(password)
  await database.query(
    `with people as (
       insert into identity.users (id, username, password_hash)
       select uuidv7(), 'bench-' || number, $1 from generate_series(1, $2::int) as number
       returning id
     )
     insert into identity.consents (user_id, client_id, scope) select id, $3, $4 from people`,
    [passwordHash, users, client_id, scope],
  )
  const client = { client_id, client_secret }
  return { url, origin: new URL(system.baseUrl).origin, client, passwordHash, password }
}

/**
 * Logs a user in as a new browser, for an app that then gets a token: authorize, login page, login (the consent is
 * remembered), token.
 * @param number selects the user and the address
 * @returns the browser's cookie
 * @throws BenchFailure when a step gets an unexpected answer
 */
export async function logInOnce(people: People, number: number): Promise<string> {
  const { url, origin } = people
  const verifier = randomBytes(32).toString('base64url')
  const browser = { accept: 'text/html', 'x-forwarded-for': addressOf(number) }
  const begun = await send(requestOf(people, verifier), { headers: browser })
  const loginPage = `${url}${locationOf(begun, 302, 'authorize')}`
  const page = await send(loginPage, { headers: browser })
  const username = `bench-${(number % users) + 1}`
  const form = { ...hiddenFields(page.text), username, password }
  const loggedIn = await send(`${url}/auth/login`, { form, headers: { ...browser, origin } })
  const cookie = loggedIn.headers['set-cookie']?.map((one) => one.split(';', 1)[0]).join('; ') ?? ''
  await redeem(people, locationOf(loggedIn, 303, 'login'), verifier)
  return cookie
}

/**
 * Gets tokens for a user who is logged in and agreed before: authorize, token.
 * @param cookie the browser's cookie
 * @param scope the scope that the app asks for
 * @returns the body of the token response
 * @throws BenchFailure when a step gets an unexpected answer
 */
export async function getTokensInSession(people: People, cookie: string, scope: string): Promise<string> {
  const verifier = randomBytes(32).toString('base64url')
  const headers = { accept: 'text/html', cookie }
  const begun = await send(`${requestOf(people, verifier)}&${new URLSearchParams({ scope })}`, { headers })
  return redeem(people, locationOf(begun, 302, 'authorize'), verifier)
}

/** A code that was given to the app, and the verifier with which it is redeemed. */
export type GivenCode = { location: string; verifier: string }

/**
 * Gets a code for a user who is logged in and agreed before.
 * @param cookie the browser's cookie
 * @throws BenchFailure when the answer is unexpected
 */
export async function getCode(people: People, cookie: string): Promise<GivenCode> {
  const verifier = randomBytes(32).toString('base64url')
  const begun = await send(requestOf(people, verifier), { headers: { accept: 'text/html', cookie } })
  return { location: locationOf(begun, 302, 'authorize'), verifier }
}

/** Redeems a code. @returns the refresh token */
export async function redeemCode(people: People, { location, verifier }: GivenCode): Promise<string> {
  return refreshTokenIn(await redeem(people, location, verifier))
}

/** Refreshes. @returns the next refresh token */
export async function refresh({ url, client }: People, refreshToken: string): Promise<string> {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...client }
  const refreshed = await send(`${url}/oauth/token`, { form })
  if (refreshed.status !== 200) throw wrong('refresh', refreshed)
  return refreshTokenIn(refreshed.text)
}

function refreshTokenIn(text: string): string {
  const { refresh_token: token } = JSON.parse(text) as { refresh_token?: string }
  if (token === undefined) throw new BenchFailure('A token response has no refresh token')
  return token
}

function requestOf({ url, client }: People, verifier: string): string {
  const request = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })
  return `${url}/oauth/authorize?${request}`
}

async function redeem({ url, client }: People, location: string, verifier: string): Promise<string> {
  const code = new URL(location).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, ...client }
  const redeemed = await send(`${url}/oauth/token`, { form })
  if (redeemed.status !== 200) throw wrong('token', redeemed)
  return redeemed.text
}

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}

type Received = Awaited<ReturnType<typeof send>>

function locationOf(answer: Received, status: number, step: string): string {
  const { location } = answer.headers
  if (answer.status !== status || !location) throw wrong(step, answer)
  return location
}

function wrong(step: string, { status, text }: Received): BenchFailure {
  return new BenchFailure(`A login failed: ${step} was answered ${status} ${text.slice(0, 200)}`)
}
