import { randomUUIDv7 } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import {
  beginAuthorization,
  continueAuthorization,
  findAuthorization,
} from '../../../src/authorization/authorization-flow.ts'
import type { ConsentRule } from '../../../src/authorization/authorization-request.ts'
import { type AuthorizingUser, type ConsentDecision, nextStep } from '../../../src/authorization/next-step.ts'
import type { AuthorizationFlowDeps, AuthorizationStep } from '../../../src/authorization/waiting-flow.ts'
import type { Client } from '../../../src/clients/client-authentication.ts'
import { createAuthorizationFlowStore } from '../../../src/store/authorization-flows.ts'
import { deleteExpired } from '../../../src/store/expired.ts'
import { ownLogin } from '../../authorization/logins.ts'
import { findAmong, usersClient } from '../../clients/clients.ts'
import { clientGrant } from '../../tokens/granted.ts'
import { useDatabase } from '../database.ts'
import { authorizationRequest, redirectUri, startReplica, verifier } from '../replica.ts'

const shared = useDatabase()
/** The deps of two replicas. */
let replicas: ReturnType<typeof wire>[] = []
const replica = (index = 0) => replicas[index % 2] ?? expect.unreachable('no replica')
beforeAll(() => {
  replicas = [wire(shared.database), wire(shared.another())]
})

function wire(database: typeof shared.database) {
  const flows = createAuthorizationFlowStore(database)
  return {
    ...startReplica(database),
    flows,
    openid: undefined,
    log: recordedLog().log,
    authorizationCodeLifetime: 600,
    readClientIdDocument: async () => undefined,
  }
}

const ann = (scope = ''): AuthorizingUser => ({
  userId: randomUUIDv7(),
  username: 'ann',
  seenAt: new Date(),
  sessionId: randomUUIDv7(),
  sessionEndsAt: new Date(Date.now() + 3_600_000),
  logins: ownLogin(new Date()),
  consented: { clientId: 'client_a', scope },
})
const begin = (
  user: AuthorizingUser | undefined,
  { state = 'the state', dryRun = false, ...changes } = {},
  deps: AuthorizationFlowDeps = replica(),
) => beginAuthorization({ ...authorizationRequest, openid: {}, state, ...changes }, { user, dryRun }, deps)
const go = (
  id: string,
  user: AuthorizingUser,
  decision: ConsentDecision = undefined,
  deps: AuthorizationFlowDeps = replica(1),
) => continueAuthorization(id, { user, decision, agreedScope: 'read write' }, deps)
/** Begins a request that waits, and returns its id. */
async function waiting(changes: { scope?: string | undefined; state?: string } = {}) {
  const begun = await begin(undefined, changes)
  return begun.step === 'respond' ? expect.unreachable('it was answered') : begun.pending.id
}
const codeIn = (step: AuthorizationStep) =>
  step.step === 'respond' && 'code' in step.response ? step.response.code : expect.unreachable(step.step)
const ended = { code: 'invalid_request', description: expect.stringContaining('answered already') }
const rowsOf = async (table: string) => (await shared.query(`select from token.${table}`)).length

/** No resource server is named. */
const anything = { servers: [], scope: 'read write' }

describe('the next step when', () => {
  const begun = {
    ...{ openid: undefined, begunAt: undefined, claimScopes: [] },
    organization: { state: 'none' } as const,
  }
  const step = (consent: ConsentRule, allowed: string, decision?: ConsentDecision, client = usersClient()) =>
    nextStep(
      { ...begun, client, grant: clientGrant({ scope: 'read write' }), target: anything, consent },
      ann(allowed),
      {
        decision,
        agreedScope: 'read write',
      },
    ).step

  test.each<[string, ConsentRule, string, string]>([
    ['a first-party client is not asked about', 'not_needed', '', 'respond'],
    ['the same scope was allowed', 'remembered', 'read write', 'respond'],
    ['more was allowed, in another order', 'remembered', 'write email read', 'respond'],
    ['nothing was allowed', 'remembered', '', 'ask_consent'],
    ['less was allowed', 'remembered', 'read', 'ask_consent'],
    ['values with the same beginning were allowed', 'remembered', 'readonly writer', 'ask_consent'],
    ['others can impersonate the client', 'each_time', 'read write', 'ask_consent'],
  ])('%s', (_, consent, allowed, expected) => {
    expect(step(consent, allowed)).toBe(expected)
    for (const decision of ['allowed', 'denied'] as const)
      expect(step(consent, allowed, decision)).toBe('respond')
  })

  test('only another client was allowed', () => {
    const other = usersClient({ clientId: 'client_b' })
    expect(step('remembered', 'read write', undefined, other)).toBe('ask_consent')
    const consented = undefined
    const checked = {
      ...begun,
      client: usersClient(),
      grant: clientGrant(),
      target: anything,
      consent: 'remembered',
    } as const
    expect(nextStep(checked, { ...ann(), consented }, {}).step).toBe('ask_consent')
  })

  test('nobody is logged in', () => {
    const checked = {
      ...begun,
      client: usersClient(),
      grant: clientGrant(),
      target: anything,
      consent: 'not_needed',
    } as const
    expect(nextStep(checked, undefined, {})).toEqual({ step: 'log_in', reason: 'nobody' })
  })
})

test('keeps a request on all replicas until its user agrees, and issues a code that can be redeemed', async () => {
  const state = `${'ü€😀"\\%+&'.repeat(900)}`
  const id = await waiting({ state, scope: undefined })
  const scope = 'read write'
  const known = {
    ...{ id, clientId: 'client_a', clientName: 'Acme', redirectUri, scope },
    ...{ resources: [], consentScope: scope, loopbackRedirectsOnly: false, selfRegistered: false },
  }
  expect(await findAuthorization(id, replica(1))).toEqual({ ...known, loginReason: 'nobody' })
  const user = ann()
  expect(await go(id, user)).toEqual({ step: 'ask_consent', pending: { ...known, loginReason: undefined } })
  const answered = await go(id, user, 'allowed')
  expect(answered).toEqual({
    step: 'respond',
    response: {
      formPost: false,
      clientId: 'client_a',
      redirectUri,
      state,
      code: expect.stringMatching(/^[\w-]{43}$/),
    },
  })
  const tokens = await replica().redeem(codeIn(answered), { codeVerifier: verifier })
  expect(await replica().introspect(tokens.accessToken)).toMatchObject({ sub: user.userId, username: 'ann' })
  expect(await findAuthorization(id, replica())).toBeUndefined()
})

test('responds at once for a user who agreed before, without keeping a request', async () => {
  const before = await rowsOf('authorization_flows')
  codeIn(await begin(ann('write read')))
  codeIn(await go(await waiting(), ann('write read')))
  expect(await rowsOf('authorization_flows')).toBe(before)
})

test('a dry run returns the same step without storing a request or a code', async () => {
  const count = async () => [await rowsOf('authorization_flows'), await rowsOf('authorization_codes')]
  const before = await count()
  for (const user of [undefined, ann(), ann('read write')])
    expect((await begin(user, { dryRun: true })).step).toBe((await begin(user)).step)
  expect(await count()).toEqual([(before[0] ?? 0) + 2, (before[1] ?? 0) + 1])
})

test('gives only one of twenty concurrent answers on two replicas, and emits one event', async () => {
  const id = await waiting()
  const before = replicas.flatMap(({ events }) => events).length
  const answers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => go(id, ann(), at % 4 === 3 ? 'denied' : 'allowed', replica(at))),
  )
  const given = answers.filter(({ status }) => status === 'fulfilled')
  expect(given).toHaveLength(1)
  for (const one of answers) if (one.status === 'rejected') expect(one.reason).toMatchObject(ended)
  const types = replicas
    .flatMap(({ events }) => events)
    .slice(before)
    .map(({ type }) => type)
    .filter((type) => type.startsWith('consent_'))
  expect(types).toHaveLength(1)
  await expect(go(id, ann(), 'allowed')).rejects.toMatchObject(ended)
})

test('ends a denied request and tells the client', async () => {
  const id = await waiting()
  expect(await go(id, ann(), 'denied')).toMatchObject({
    step: 'respond',
    response: { formPost: false, redirectUri, state: 'the state', failure: { code: 'access_denied' } },
  })
  await expect(go(id, ann(), 'allowed')).rejects.toMatchObject(ended)
})

test('keeps a request for a quarter of an hour and then deletes it', async () => {
  const id = await waiting()
  const [row] = await shared.query(
    'select extract(epoch from expires_at - now())::float as left from token.authorization_flows where id = $1',
    [id],
  )
  expect(row?.left).toBeGreaterThan(890)
  expect(row?.left).toBeLessThanOrEqual(900)
  await shared.query('update token.authorization_flows set expires_at = now() where id = $1', [id])
  expect(await findAuthorization(id, replica())).toBeUndefined()
  for (const decision of [undefined, 'allowed', 'denied'] as const)
    await expect(go(id, ann('read write'), decision)).rejects.toMatchObject(ended)
  expect(await deleteExpired(shared.database, 'authorization_flows')).toBe(1)
})

test.each(['', 'x', 'ÿ', "' or true --", randomUUIDv7(), randomUUIDv7().toUpperCase()])(
  'finds no request with the id %j',
  async (id) => {
    expect(await findAuthorization(id, replica())).toBeUndefined()
    await expect(go(id, ann(), 'denied')).rejects.toMatchObject(ended)
    expect(await replica().flows.end(id)).toBe(false)
  },
)

test('checks a request again when it continues, and keeps it when it is refused', async () => {
  const id = await waiting()
  const changed = (client: Partial<Client>): AuthorizationFlowDeps => ({
    ...replica(),
    findClient: findAmong([usersClient(client)]),
  })
  for (const [client, code] of [
    [{ disabled: true }, 'invalid_client'],
    [{ redirectUris: ['https://app.example/other'] }, 'invalid_request'],
    [{ grantTypes: new Set(['client_credentials']) }, 'unauthorized_client'],
    [{ scope: 'read' }, 'invalid_scope'],
  ] as const) {
    for (const decision of ['allowed', 'denied'] as const)
      await expect(go(id, ann(), decision, changed(client))).rejects.toMatchObject({ code })
    await expect(findAuthorization(id, changed(client))).rejects.toMatchObject({ code })
  }
  codeIn(await go(id, ann(), 'allowed'))
})

test('asks the registry before it refuses to show or continue a request because of an outdated client', async () => {
  const id = await waiting()
  const behind = (): AuthorizationFlowDeps => {
    let client = usersClient({ scope: 'read' })
    const refreshClient = async () => {
      client = usersClient()
      return true
    }
    return { ...replica(), findClient: async () => client, refreshClient }
  }
  expect(await findAuthorization(id, behind())).toMatchObject({ id, scope: 'read write' })
  codeIn(await go(id, ann(), 'allowed', behind()))
})

test('asks the user when the client is no longer first-party', async () => {
  const firstParty = { ...replica(), findClient: findAmong([usersClient({ firstParty: true })]) }
  const id = await waiting()
  expect((await go(id, ann())).step).toBe('ask_consent')
  codeIn(await go(id, ann(), undefined, firstParty))
})

test('creates no code when the client changed since it was looked up, and keeps the request', async () => {
  const id = await waiting()
  const change = { clientId: 'client_a', scope: 'read write', grantTypes: ['authorization_code'] }
  await replica().clientChanges.apply({ ...change, revision: 2n, disabled: false })
  await expect(go(id, ann(), 'allowed')).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  const current = { ...replica(), findClient: findAmong([usersClient({ revision: 2n })]) }
  codeIn(await go(id, ann(), 'allowed', current))
  await shared.query('truncate token.client_changes')
})

test('creates no code without a user', async () => {
  for (const nobody of [{ userId: '' }, { username: '' }, { seenAt: undefined }])
    await expect(begin({ ...ann('read write'), ...nobody })).rejects.toMatchObject({
      code: 'invalid_request',
    })
})

test('tells the client and the log when a code cannot be stored', async () => {
  const { log, lines } = recordedLog()
  const add = vi.fn(async () => Promise.reject(new Error('a bug')))
  const deps = { ...replica(), log, codes: { ...replica().codes, add } }
  expect(await begin(ann('read write'), {}, deps)).toEqual({
    step: 'respond',
    response: {
      formPost: false,
      clientId: 'client_a',
      redirectUri,
      state: 'the state',
      failure: expect.objectContaining({ code: 'server_error' }),
    },
  })
  expect(lines).toContainEqual(expect.objectContaining({ level: 50, code: 'server_error' }))
})
