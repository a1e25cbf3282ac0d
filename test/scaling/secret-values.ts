import { randomBytes } from 'node:crypto'
import { type ServiceName, serviceNames } from '@gatehouse/local/services'
import {
  authorize,
  browse,
  type CookieJar,
  cookieHeader,
  hiddenFields,
  logIn,
  submit,
} from '@gatehouse/test/browser/browser-login'
import { type EnrolledApp, enrolApp } from '@gatehouse/test/browser/second-factor'
import { appCodeOf } from '@gatehouse/test/browser/totp'
import { type Cluster, clusterAdmin } from '@gatehouse/test/cluster'
import { credentialsOf, introspectionOf, issueToken } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { textOf } from '@gatehouse/test/traffic'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { authorizationRequest, password, pkce, registerApp } from '../e2e/logins/login-people.ts'

const names = ['OAUTH2_JWT_SECRET', 'OAUTH2_SESSION_KEY', 'OAUTH2_FACTOR_KEY'] as const

/** A value of each secret, by its variable. */
export type Secrets = Record<(typeof names)[number], string>

export function newSecrets(): Secrets {
  const [jwt, session, factor] = names.map(() => randomBytes(32).toString('base64url'))
  return { OAUTH2_JWT_SECRET: `${jwt}`, OAUTH2_SESSION_KEY: `${session}`, OAUTH2_FACTOR_KEY: `${factor}` }
}

/** The variables of a process with these secrets, and others as the next ones. */
export function withNext(current: Secrets, next: Secrets): Record<string, string> {
  const others = Object.entries(next).map(([name, value]) => [`${name}_NEXT`, value])
  return { ...current, ...Object.fromEntries(others) }
}

/** The services that have one of the secrets. */
export const holders = ['token', 'identity', 'gateway'] as const satisfies readonly ServiceName[]

/** Replaces all processes by others with these secrets, without load. */
export async function restartWith(cluster: Cluster, variables: Record<string, string>): Promise<void> {
  await Promise.all(
    serviceNames.map(async (name) => {
      const before = cluster.replicasOf(name)
      await cluster.add(name, { variables })
      await Promise.all(before.map((replica) => cluster.remove(replica, { stoppedAfter: 4_000 })))
    }),
  )
}

/** Sends a request to the administrators' API as a browser does. */
export function administer(cluster: Cluster, jar: CookieJar, path: string, body: object): Promise<Response> {
  const { origin } = new URL(cluster.baseUrl)
  return cluster.json(`/admin/api${path}`, body, {
    ...{ cookie: cookieHeader(jar), origin, 'sec-fetch-site': 'same-origin' },
  })
}

let people = 0

async function addPerson(cluster: Cluster, admin: CookieJar): Promise<string> {
  people += 1
  const username = `person-${people}`
  await textOf(administer(cluster, admin, '/users', { username, password }), 201)
  return username
}

type TokenAnswer = { access_token: string; refresh_token: string; id_token: string }

/** Sends a form to the token endpoint, which must accept it. */
export async function tokensFor(
  cluster: Cluster,
  app: RegisteredClient,
  form: Record<string, string>,
): Promise<TokenAnswer> {
  return JSON.parse(await textOf(cluster.form('/oauth/token', { ...form, ...credentialsOf(app) })))
}

/** Refreshes. @returns the next refresh token */
export async function refreshed(cluster: Cluster, app: RegisteredClient, token: string): Promise<string> {
  const form = { grant_type: 'refresh_token', refresh_token: token }
  return (await tokensFor(cluster, app, form)).refresh_token
}

async function codeFor(cluster: Cluster, jar: CookieJar, app: RegisteredClient) {
  const { verifier, challenge } = pkce()
  const request = { ...authorizationRequest(app, challenge), scope: 'openid read' }
  const answer = await authorize(cluster, jar, request)
  return {
    grant_type: 'authorization_code',
    code: answer.searchParams.get('code') ?? '',
    ...{ code_verifier: verifier, redirect_uri: request.redirect_uri },
  }
}

/** Values that depend on a secret, one of each kind that lasts. */
export type Lasting = {
  app: RegisteredClient
  accessTokens: string[]
  idToken: string
  refreshToken: string
  /** Of a user without a second factor, and of one with an app. */
  jars: CookieJar[]
}

/** Values that depend on a secret and are used up. */
export type Passing = {
  username: string
  authenticator: EnrolledApp
  code: Record<string, string>
  /** The fields of a consent page. */
  question: { jar: CookieJar; fields: Record<string, string> }
  /** A login that waits for its second factor. */
  pending: CookieJar
  /** A page with new recovery codes, and an enrolment of an app whose code was not entered yet. */
  recoveryCodes: CookieJar
  enrolment: { jar: CookieJar; fields: Record<string, string>; secret: string }
}

/** Makes a value of each kind. */
export async function makeValues(cluster: Cluster): Promise<Lasting & Passing> {
  const admin = await logIn(cluster, clusterAdmin.username, clusterAdmin.password)
  const app = await registerApp(cluster, { scope: 'openid read write profile' })
  const machine = await cluster.register()
  const plain = await issueToken(cluster, machine)
  await textOf(administer(cluster, admin, '/keys/rotate', { algorithm: 'HS256' }))
  const derived = await issueToken(cluster, machine)
  const one = await logIn(cluster, await addPerson(cluster, admin), password)
  const tokens = await tokensFor(cluster, app, await codeFor(cluster, one, app))

  const username = await addPerson(cluster, admin)
  const other = await logIn(cluster, username, password)
  const authenticator = await enrolApp(cluster, other)
  const pending: CookieJar = new Map()
  await textOf(submit(cluster, pending, '/auth/login', { username, password }), 303)

  const third = await logIn(cluster, await addPerson(cluster, admin), password)
  const page = await textOf(browse(cluster, third, `/auth/second-factor/app?of=session&return_to=/account`))
  const secret = /<code class="secret"[^>]*>([A-Z2-7 ]+)<\/code>/.exec(page)?.[1] ?? ''

  const asking = await registerApp(cluster)
  const asked = await browse(
    cluster,
    one,
    `/oauth/authorize?${new URLSearchParams(authorizationRequest(asking, pkce().challenge))}`,
  )
  return {
    ...{ app, username, authenticator, pending, idToken: tokens.id_token, jars: [one, other] },
    accessTokens: [plain, derived, tokens.access_token],
    refreshToken: tokens.refresh_token,
    code: await codeFor(cluster, one, app),
    question: { jar: one, fields: hiddenFields(await asked.text()) },
    recoveryCodes: other,
    enrolment: { jar: third, fields: hiddenFields(page), secret },
  }
}

/** The kinds of lasting values that are not accepted. It refreshes. */
export async function rejected(cluster: Cluster, values: Lasting): Promise<string[]> {
  const wrong: string[] = []
  for (const token of values.accessTokens)
    if ((await introspectionOf(cluster, token)) === '{"active":false}') wrong.push('access token')
  for (const jar of values.jars)
    if ((await browse(cluster, new Map(jar), '/account')).status !== 200) wrong.push('session')
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', cluster.baseUrl))
  await jwtVerify(values.idToken, keys).catch(() => wrong.push('ID token'))
  const next = await refreshed(cluster, values.app, values.refreshToken).catch(() => undefined)
  if (next === undefined) wrong.push('refresh token')
  else values.refreshToken = next
  return wrong
}

/** Uses up the passing values. @returns the answers' statuses by kind */
export async function usedUp(cluster: Cluster, values: Lasting & Passing): Promise<Record<string, unknown>> {
  const { app, code, question, pending, recoveryCodes, enrolment, authenticator } = values
  const codes = await browse(cluster, recoveryCodes, '/account/new-recovery-codes')
  const entered = { ...enrolment.fields, code: appCodeOf(enrolment.secret) }
  const [consent, proof, enrolled] = [
    await submit(cluster, question.jar, '/oauth/consent', { ...question.fields, decision: 'allow' }),
    await submit(cluster, pending, '/auth/second-factor', { code: await authenticator.nextCode() }),
    await submit(cluster, enrolment.jar, '/auth/second-factor/app', entered),
  ]
  return {
    code: (await tokensFor(cluster, app, code)).access_token !== '',
    codes: /<li><code>/.test(await codes.text()),
    ...{ consent: consent.status, proof: proof.status, enrolled: enrolled.status },
  }
}

/** Logs in with the password and the app. @returns the status of the answer to its code */
export async function logInWithApp(cluster: Cluster, { username, authenticator }: Passing): Promise<number> {
  const jar: CookieJar = new Map()
  await textOf(submit(cluster, jar, '/auth/login', { username, password }), 303)
  const answer = await submit(cluster, jar, '/auth/second-factor', { code: await authenticator.nextCode() })
  return answer.status
}
