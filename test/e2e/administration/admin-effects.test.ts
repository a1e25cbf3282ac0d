import { randomUUID } from 'node:crypto'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import { browse, logIn } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, expectRefusal, issueToken, until, untilReady } from '@gatehouse/test/oauth'
import { signalTree } from '@gatehouse/test/programs/signals'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  actor,
  addPerson,
  codeFor,
  identityOf,
  isActive,
  password,
  query,
  redeem,
  redirectUri,
  refresh,
  tokensFor,
} from '../logins/login-people.ts'

/** The time within which a change must apply, in milliseconds. */
const soon = 2_000

const registrationToken = 'a-registration-token-of-enough-characters'

let system: TestSystem
let registry: RpcClient<typeof ClientRegistryServiceService>
let identity: RpcClient<typeof IdentityServiceService>
beforeAll(async () => {
  system = await startTestSystem({
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_SCOPES_SUPPORTED: 'read write admin',
    OAUTH2_REGISTRATION: 'token',
    OAUTH2_REGISTRATION_TOKEN: registrationToken,
  })
  await untilReady(system)
  const process = processOf('client-registry')
  registry = createRpcClient(ClientRegistryServiceService, `127.0.0.1:${process.grpcPort}`, 5_000)
  identity = identityOf(system)
})
afterAll(async () => {
  registry?.close()
  identity?.close()
  await system?.stop()
})

function processOf(name: string) {
  const process = system.processes.find((one) => one.name === name)
  if (process === undefined) throw new Error(`there is no process ${name}`)
  return process
}

/** Creates a client for codes and for client_credentials. */
async function addClient(clientId?: string): Promise<RegisteredClient> {
  const { client, clientSecret } = await registry.createClient({
    registration: {
      clientName: 'Acme',
      redirectUris: [redirectUri],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      scope: 'read admin',
      tokenEndpointAuthMethod: undefined,
      metadata: undefined,
    },
    firstParty: true,
    actor,
    ...(clientId !== undefined && { clientId }),
  })
  return { client_id: client?.clientId ?? '', client_secret: clientSecret ?? '' }
}

const disable = ({ client_id: clientId }: RegisteredClient, disabled = true) =>
  registry.updateClient({
    ...{ clientId, disabled, revision: 0n, actor },
    ...{ clientName: undefined, redirectUris: undefined, grantTypes: undefined },
    ...{ scope: undefined, firstParty: undefined, metadata: undefined },
  })
const remove = ({ client_id: clientId }: RegisteredClient) => registry.deleteClient({ clientId, actor })
const ask = (client: RegisteredClient) =>
  system.form('/oauth/token', { grant_type: 'client_credentials', ...credentialsOf(client) })

const generated = () => undefined
const endings: [string, (client: RegisteredClient) => Promise<unknown>, () => string | undefined][] = [
  ['disabled', disable, generated],
  ['deleted', remove, generated],
  ['deleted, whose id an administrator chose', remove, () => `chosen-${randomUUID()}`],
]

describe.each(endings)('a client that is %s', (_, end, chosenId) => {
  test('soon has no active token, neither its own nor its users’, and gets no new one', async () => {
    const [client, stranger] = [await addClient(chosenId()), await addClient()]
    const person = await addPerson(system)
    const tokens = await tokensFor(system, person, client)
    const code = await codeFor(system, person, client)
    const own = await issueToken(system, client)
    const others = await issueToken(system, stranger)
    await end(client)
    await until(async () => !(await isActive(system, own)), soon)
    expect(await isActive(system, tokens.access_token)).toBe(false)
    await until(async () => (await ask(client)).status === 401, soon)
    expect((await refresh(system, client, tokens.refresh_token)).status).toBe(401)
    expect((await redeem(system, credentialsOf(client), code)).status).toBe(401)
    expect(await isActive(system, others)).toBe(true)
  })

  test('has no active token that was issued before the token service knew of the change', async () => {
    const client = await addClient(chosenId())
    const given: string[] = []
    let ending: Promise<unknown> | undefined
    for (let refused = 0; refused < 3; ) {
      const response = await ask(client)
      const body = (await response.json()) as { access_token: string }
      if (response.status === 200) given.push(body.access_token)
      else refused += 1
      if (given.length === 3) ending ??= end(client)
    }
    await ending
    await until(async () => !(await isActive(system, given.at(-1) ?? '')), soon)
    const active = await Promise.all(given.map((token) => isActive(system, token)))
    expect(active.filter(Boolean)).toEqual([])
  })

  test('has no active token soon after a hanging token service continues', async () => {
    const client = await addClient()
    const token = await issueToken(system, client)
    const { pid } = processOf('token')
    signalTree(pid ?? 0, 'SIGSTOP')
    try {
      await end(client)
      expect(await pendingOf(client)).toBeGreaterThan(0)
    } finally {
      signalTree(pid ?? 0, 'SIGCONT')
    }
    await untilReady(system)
    await until(async () => !(await isActive(system, token)), soon)
    await until(async () => (await pendingOf(client)) === 0, soon)
  })
})

test('revokes the tokens of a client that was disabled while the token service was down, soon after its restart', async () => {
  const client = await addClient()
  const token = await issueToken(system, client)
  const { pid } = processOf('token')
  signalTree(pid ?? 0, 'SIGKILL')
  await disable(client)
  await until(() => answers(token), 20_000)
  await until(async () => !(await isActive(system, token)), soon)
})

test('issues active tokens to a client that is enabled again, and keeps the earlier ones revoked', async () => {
  const client = await addClient()
  const token = await issueToken(system, client)
  await disable(client)
  await until(async () => (await ask(client)).status === 401, soon)
  await disable(client, false)
  await until(async () => (await ask(client)).status === 200, soon)
  await until(async () => isActive(system, await issueToken(system, client)), 20_000)
  expect(await isActive(system, token)).toBe(false)
})

test('accepts two secrets during the overlap, and one after it', async () => {
  const client = await addClient()
  await issueToken(system, client)
  const overlapSeconds = 8
  const { clientSecret } = await registry.rotateClientSecret({
    clientId: client.client_id,
    overlapSeconds,
    actor,
  })
  const rotatedAt = performance.now()
  const renewed = { ...client, client_secret: clientSecret }
  await until(async () => (await ask(renewed)).status === 200, soon)
  const both = [(await ask(client)).status, (await ask(renewed)).status]
  expect(performance.now() - rotatedAt).toBeLessThan(overlapSeconds * 1_000)
  expect(both).toEqual([200, 200])
  await until(async () => (await ask(client)).status === 401, overlapSeconds * 1_000 + soon)
  expect(performance.now() - rotatedAt).toBeGreaterThan(overlapSeconds * 1_000 - 1_000)
  expect((await ask(renewed)).status).toBe(200)
})

test('says which secret was used last, and the previous one ends before its time everywhere', async () => {
  const client = await addClient()
  const { client_id: clientId } = client
  const { clientSecret } = await registry.rotateClientSecret({ clientId, overlapSeconds: 3_600, actor })
  const renewed = { ...client, client_secret: clientSecret }
  await until(async () => (await ask(client)).status === 200, soon)
  const secrets = async () => (await registry.getClient({ clientId })).client?.secrets ?? []
  // Not noted by the request itself, but with the token service's next look at its clients.
  await until(async () => (await secrets())[1]?.lastUsedAt !== undefined, soon)
  expect((await secrets())[0]?.lastUsedAt).toBeUndefined()
  const secretId = (await secrets())[1]?.secretId ?? ''
  await registry.endClientSecret({ clientId, secretId, actor })
  await until(async () => (await ask(client)).status === 401, soon)
  expect((await ask(renewed)).status).toBe(200)
})

test('ends the previous secret soon after a rotation without an overlap', async () => {
  const client = await addClient()
  await issueToken(system, client)
  const rotation = { clientId: client.client_id, overlapSeconds: 0, actor }
  const { clientSecret } = await registry.rotateClientSecret(rotation)
  await until(async () => (await ask(client)).status === 401, soon)
  expect((await ask({ ...client, client_secret: clientSecret })).status).toBe(200)
})

describe('a user', () => {
  test('whose password is reset has no session and no token, and can log in with the new password', async () => {
    const client = await addClient()
    const person = await addPerson(system)
    const { access_token: token } = await tokensFor(system, person, client)
    const { userId, username } = person
    const { generatedPassword } = await identity.resetPassword({ userId, actor })
    expect((await browse(system, person.jar, '/account')).status).toBe(302)
    await until(async () => !(await isActive(system, token)), soon)
    await expect(logIn(system, username, password)).rejects.toThrow('401')
    const jar = await logIn(system, username, generatedPassword ?? '')
    expect((await browse(system, jar, '/account')).status).toBe(200)
    const renewed = await tokensFor(system, { ...person, jar }, client)
    expect(await isActive(system, renewed.access_token)).toBe(true)
  })

  test('who is deleted has no session and no token, even if the token service hangs meanwhile', async () => {
    const client = await addClient()
    const person = await addPerson(system)
    const tokens = await tokensFor(system, person, client)
    const { pid } = processOf('token')
    signalTree(pid ?? 0, 'SIGSTOP')
    try {
      await identity.deleteUser({ userId: person.userId, actor })
    } finally {
      signalTree(pid ?? 0, 'SIGCONT')
    }
    await untilReady(system)
    expect((await browse(system, person.jar, '/account')).status).toBe(302)
    await until(async () => !(await isActive(system, tokens.access_token)), soon)
    await expectRefusal(await refresh(system, client, tokens.refresh_token), 400, 'invalid_grant')
    await expect(logIn(system, person.username, password)).rejects.toThrow('401')
  })

  test('whose sessions are ended keeps their tokens', async () => {
    const client = await addClient()
    const person = await addPerson(system)
    const { access_token: token } = await tokensFor(system, person, client)
    await identity.endUserSessions({ userId: person.userId, actor })
    expect((await browse(system, person.jar, '/account')).status).toBe(302)
    expect(await isActive(system, token)).toBe(true)
  })
})

test.each(['admin', 'read admin', 'admin read'])(
  'never registers the scope %j, not even with the registration token when the server supports it',
  async (scope) => {
    const metadata = { grant_types: ['client_credentials'], scope }
    const headers = { authorization: `Bearer ${registrationToken}` }
    const answer = await system.json('/clients/register', metadata, headers)
    await expectRefusal(answer, 400, 'invalid_scope')
  },
)

/** The number of pending revocations of a client. */
async function pendingOf({ client_id }: RegisteredClient): Promise<number> {
  const text = 'select count(*)::int as count from clients.pending_revocations where target = $1'
  const [row] = await query<{ count: number }>(system, text, [client_id])
  return row?.count ?? 0
}

/** Whether introspection of a token succeeds. */
async function answers(token: string): Promise<boolean> {
  const response = await system.form('/oauth/introspect', { token })
  await response.body?.cancel()
  return response.status === 200
}
