import { browse, type CookieJar, hiddenFields } from '@gatehouse/test/browser/browser-login'
import { type Cluster, clusterAdmin } from '@gatehouse/test/cluster'
import { credentialsOf } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { textOf } from '@gatehouse/test/traffic'
import { expect } from 'vitest'
import { authorizationRequest, pkce } from '../e2e/logins/login-people.ts'

/** Each request has its own connection, so it goes to the next gateway. */
const alone = { connection: 'close' }

/**
 * An administrator logs in and consents to a new app. The app redeems its code for a token, which is
 * introspected, revoked and introspected again. No two requests in a row go to the same gateway.
 */
export async function codeFlowInTurn(cluster: Cluster, app: RegisteredClient): Promise<void> {
  const jar: CookieJar = new Map()
  const { origin } = new URL(cluster.baseUrl)
  const submit = (path: string, fields: Record<string, string>) =>
    browse(cluster, jar, path, {
      method: 'POST',
      headers: { ...alone, origin, 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(fields),
    })
  const post = (path: string, fields: Record<string, string>) =>
    textOf(cluster.form(path, { ...fields, ...credentialsOf(app) }, alone))

  const { verifier, challenge } = pkce()
  const request = new URLSearchParams(authorizationRequest(app, challenge))
  expect((await submit('/auth/login', clusterAdmin)).status).toBe(303)
  const asked = await browse(cluster, jar, `/oauth/authorize?${request}`, { headers: alone })
  const fields = hiddenFields(await textOf(Promise.resolve(asked)))
  const answer = await submit('/oauth/consent', { ...fields, decision: 'allow' })
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const redemption = { grant_type: 'authorization_code', code, code_verifier: verifier }
  const { access_token: token } = JSON.parse(await post('/oauth/token', redemption))
  expect(await post('/oauth/introspect', { token })).toContain('"active":true')
  await post('/oauth/revoke', { token })
  expect(await post('/oauth/introspect', { token })).toBe('{"active":false}')
}
