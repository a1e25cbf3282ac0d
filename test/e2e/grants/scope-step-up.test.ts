import { authorize, browse } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, introspectionOf, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  type Person,
  pkce,
  redirectUri,
  registerApp,
  type TokenAnswer,
} from '../logins/login-people.ts'

let system: TestSystem
let person: Person
beforeAll(async () => {
  system = await sharedTestSystem({ OAUTH2_PROFILE: 'mcp' })
  await untilReady(system)
  person = await addPerson(system)
})

/** Asks a user for a scope, and gives the parameters with which the browser comes back. */
async function ask(client: RegisteredClient, scope: string, decision: 'allow' | 'deny' = 'allow') {
  const { verifier, challenge } = pkce()
  const request = { ...authorizationRequest(client, challenge), scope }
  const answer = await authorize(system, person.jar, request, { decision })
  return { code: answer.searchParams.get('code') ?? '', error: answer.searchParams.get('error'), verifier }
}

async function postToken(client: RegisteredClient, parameters: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({ ...parameters, ...credentialsOf(client) })
  return system.request('/oauth/token', { method: 'POST', body })
}

async function redeem(client: RegisteredClient, { code, verifier }: { code: string; verifier: string }) {
  const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
  return (await (await postToken(client, grant)).json()) as TokenAnswer
}

/** The status of an authorization request for a scope. */
async function statusOf(client: RegisteredClient, scope: string): Promise<number> {
  const request = { ...authorizationRequest(client, pkce().challenge), scope }
  return (await browse(system, person.jar, `/oauth/authorize?${new URLSearchParams(request)}`)).status
}

test('a client that registered itself gets more scope when the user agrees, and keeps it', async () => {
  const client = await registerApp(system, { scope: 'read' })
  const first = await redeem(client, await ask(client, 'read'))
  expect(first.scope).toBe('read')

  expect(await ask(client, 'read write', 'deny')).toMatchObject({ error: 'access_denied' })
  const inItsOwnName = { grant_type: 'client_credentials', scope: 'write' }
  expect((await postToken(client, inItsOwnName)).status).toBe(400)

  const more = await redeem(client, await ask(client, 'read write'))
  expect(more.scope).toBe('read write')
  expect(JSON.parse(await introspectionOf(system, more.access_token))).toMatchObject({ scope: 'read write' })
  const refreshed = await postToken(client, {
    grant_type: 'refresh_token',
    refresh_token: more.refresh_token ?? '',
  })
  expect(await refreshed.json()).toMatchObject({ scope: 'read write' })
  // Access that was granted before stays as it was.
  expect(JSON.parse(await introspectionOf(system, first.access_token))).toMatchObject({ scope: 'read' })
})

test('two users agree at the same moment', async () => {
  const client = await registerApp(system, { scope: 'read' })
  const scopes = ['read write', 'read profile', 'read email']
  const answers = await Promise.all(scopes.map((scope) => ask(client, scope)))
  const tokens = await Promise.all(answers.map((answer) => redeem(client, answer)))
  expect(tokens.map(({ scope }) => scope)).toEqual(scopes)
})

test('a client gets no more than it could have registered', async () => {
  const client = await registerApp(system, { scope: 'read' })
  for (const scope of ['admin', 'read admin', 'unknown', 'read  write']) {
    expect(await statusOf(client, scope)).toBe(400)
  }
  expect(await statusOf(client, 'read write')).toBe(200)
})

test('prompt=none tells a client that registered itself nothing until the user has allowed it', async () => {
  const client = await registerApp(system, { scope: 'openid read' })
  const silently = async (jar: Map<string, string>) => {
    const request = { ...authorizationRequest(client, pkce().challenge), scope: 'openid', prompt: 'none' }
    const answer = await browse(system, jar, `/oauth/authorize?${new URLSearchParams(request)}`)
    const { searchParams } = new URL(answer.headers.get('location') ?? 'about:blank')
    return [answer.status, searchParams.get('error')]
  }
  expect(await silently(new Map())).toEqual([401, null])
  expect((await silently(new Map(person.jar)))[1]).toBe(null)
  await ask(client, 'read')
  expect(await silently(new Map(person.jar))).toEqual([302, 'consent_required'])
})
