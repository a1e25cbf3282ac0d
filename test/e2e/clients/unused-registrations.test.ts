import { authorize, browse, logIn } from '@gatehouse/test/browser/browser-login'
import { issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { signalTree } from '@gatehouse/test/programs/signals'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  type Person,
  pkce,
  query,
  redeem,
  redirectUri,
  refresh,
  registerApp,
  tokensOf,
} from '../logins/login-people.ts'
import { asAdministrator } from '../openid/openid-world.ts'
import { linesOf } from '../telemetry/logs-day.ts'

let system: TestSystem
let person: Person
beforeAll(async () => {
  system = await startTestSystem({
    OAUTH2_SEED_USERNAME: sharedAdmin.username,
    OAUTH2_SEED_PASSWORD: sharedAdmin.password,
    OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
  })
  await untilReady(system)
  person = await addPerson(system)
}, 60_000)
afterAll(() => system?.stop())

/** An app without a secret, of whose uses only the other services know. */
const registerPublicApp = () =>
  registerApp(system, {
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    scope: 'read',
  })

const age = (clientIds: string[]) =>
  query(
    system,
    `update clients.clients set created_at = now() - interval '31 days' where client_id = any($1)`,
    [clientIds],
  )

const existing = async (clientIds: string[]) =>
  (
    await query<{ client_id: string }>(
      system,
      'select client_id from clients.clients where client_id = any($1)',
      [clientIds],
    )
  ).map((row) => row.client_id)

const processOf = (name: string) => system.processes.find((one) => one.name === name)

/** A client registry cleans up soon after its start. */
const restartRegistry = () => processOf('client-registry')?.kill('SIGTERM')

/** Lets a user agree to what an app asks for. */
async function agree(client: { client_id: string }) {
  const { verifier, challenge } = pkce()
  const answer = await authorize(system, person.jar, authorizationRequest(client, challenge))
  return { code: answer.searchParams.get('code') ?? '', code_verifier: verifier }
}

test('a registration that nobody used disappears, and every client that is used, or not a stranger’s, stays', {
  timeout: 90_000,
}, async () => {
  const unused = await registerPublicApp()
  const machine = await system.register()
  await issueToken(system, machine)
  const app = await registerPublicApp()
  const grant = { client_id: app.client_id, redirect_uri: redirectUri }
  const { refresh_token } = await tokensOf(await redeem(system, grant, await agree(app)))
  const consented = await registerPublicApp()
  await agree(consented)
  const asking = await registerPublicApp()
  const request = new URLSearchParams(authorizationRequest(asking, pkce().challenge))
  expect((await browse(system, person.jar, `/oauth/authorize?${request}`)).status).toBe(200)
  const root = await logIn(system, sharedAdmin.username, sharedAdmin.password)
  const made = { client_name: 'Ours', grant_types: ['client_credentials'], scope: 'read' }
  const created = await asAdministrator(system, root, 'POST', '/admin/api/clients', made)
  const ours = (await created.json()) as { client_id: string }
  const kept = [machine, app, consented, asking, ours].map(({ client_id }) => client_id)
  // The registry knows the secret's use itself; the token service must know it too.
  await query(system, 'truncate clients.client_secret_uses')
  await age([unused.client_id, ...kept])

  // Without the answer of one service, nothing is deleted.
  const identity = processOf('identity')?.pid ?? 0
  signalTree(identity, 'SIGSTOP')
  try {
    restartRegistry()
    await until(
      async () =>
        (await linesOf(system, 'client-registry')).some(
          ({ task, msg }) =>
            task === 'deleting clients that nobody uses' && msg === 'failed; will be tried again',
        ),
      30_000,
    )
    expect(await existing([unused.client_id, ...kept])).toHaveLength(6)
  } finally {
    signalTree(identity, 'SIGCONT')
  }

  restartRegistry()
  await until(async () => (await existing([unused.client_id])).length === 0, 30_000)
  expect((await existing(kept)).toSorted()).toEqual(kept.toSorted())
  await untilReady(system)
  expect((await refresh(system, app, refresh_token ?? '', { client_secret: '' })).status).toBe(200)
  const again = new URLSearchParams(authorizationRequest(unused, pkce().challenge))
  await until(
    async () => (await browse(system, person.jar, `/oauth/authorize?${again}`)).status === 401,
    10_000,
  )
  const log = await linesOf(system, 'client-registry')
  expect(log.filter(({ msg }) => msg === 'deleted clients that nobody had used')).toMatchObject([
    { level: 30, count: 1, clientIds: [unused.client_id] },
  ])
  const entries = await asAdministrator(system, root, 'GET', `/admin/api/audit?target=${unused.client_id}`)
  expect(await entries.json()).toMatchObject({ items: [] })
})
