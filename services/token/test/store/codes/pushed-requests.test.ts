import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { idInRequestUri } from '@gatehouse/proto/pushed-requests'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import {
  beginAuthorization,
  continueAuthorization,
  findAuthorization,
} from '../../../src/authorization/authorization-flow.ts'
import type { SentRequest } from '../../../src/authorization/authorization-request.ts'
import type { AuthorizingUser } from '../../../src/authorization/next-step.ts'
import { pushAuthorization, visitPushedRequest } from '../../../src/authorization/pushed-request.ts'
import type { AuthorizationStep } from '../../../src/authorization/waiting-flow.ts'
import { createAuthorizationFlowStore } from '../../../src/store/authorization-flows.ts'
import { deleteExpired } from '../../../src/store/expired.ts'
import { ownLogin } from '../../authorization/logins.ts'
import { presenting } from '../../clients/clients.ts'
import { useDatabase } from '../database.ts'
import { authorizationRequest, startReplica } from '../replica.ts'

const shared = useDatabase()
let deps: ReturnType<typeof wire>
beforeAll(() => {
  deps = wire()
})

function wire() {
  return {
    ...startReplica(shared.database),
    flows: createAuthorizationFlowStore(shared.database),
    openid: { readHint: async () => undefined, formPost: true, redirectsErrors: true },
    log: recordedLog().log,
    authorizationCodeLifetime: 600,
    readClientIdDocument: async () => undefined,
  }
}

const ann: AuthorizingUser = {
  ...{ userId: randomUUIDv7(), username: 'ann', sessionId: randomUUIDv7() },
  ...{ seenAt: new Date(Date.now() - 60_000), sessionEndsAt: new Date(Date.now() + 3_600_000) },
  logins: ownLogin(new Date(Date.now() - 120_000)),
  consented: { clientId: 'client_a', scope: 'read' },
}

const sender = presenting('right', 'client_a')
const push = (sent: SentRequest) =>
  pushAuthorization(sent, { presented: sender, ipAddress: '192.0.2.1' }, deps)
const visit = (requestUri: string, user?: AuthorizingUser, clientId = 'client_a') =>
  visitPushedRequest({ clientId, requestUri }, { user, dryRun: false }, deps)

/** The outcome without what differs each time: the id of the flow, and the code. */
function outcomeOf(step: AuthorizationStep) {
  if (step.step !== 'respond') return { ...step, pending: { ...step.pending, id: '' } }
  const { response } = step
  return 'code' in response
    ? { ...response, code: 'a code' }
    : { ...response, failure: errorOf(response.failure) }
}

function errorOf(error: unknown) {
  if (!(error instanceof Refusal)) throw error
  return { code: error.code, description: error.description }
}

/** For every parameter values that count, some that are wrong, and none. */
const text = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
const parameters = {
  responseType: fc.constantFrom('code', 'code', 'code', 'token', '', undefined),
  redirectUri: fc.constantFrom(
    authorizationRequest.redirectUri,
    authorizationRequest.redirectUri,
    'https://evil.example/',
    undefined,
  ),
  scope: text('read', 'read write', 'write', 'admin', 'openid', ''),
  codeChallenge: fc.constantFrom(
    authorizationRequest.codeChallenge,
    authorizationRequest.codeChallenge,
    'short',
    undefined,
  ),
  codeChallengeMethod: fc.constantFrom('S256', 'S256', 'plain', undefined),
  state: text('s', 'a state with spaces & ü'),
  organization: text('org_00000000000000000000', 'acme'),
}
const openidParameters = {
  nonce: text('n', 'x'.repeat(64), 'x'.repeat(1_001)),
  prompt: text('login', 'none', 'consent', 'select_account', 'login consent', 'none login', 'x'),
  max_age: text('0', '30', '100000', '-1', 'x'),
  acr_values: text('urn:gatehouse:2fa', 'x'),
  id_token_hint: text('x.y.z'),
  login_hint: text('ann', 'ü'.repeat(300)),
  ui_locales: text('de', 'de en'),
  claims: text('{"userinfo":{"email":null}}', '{"id_token":{"acr":{"essential":true,"values":["x"]}}}', '{'),
  response_mode: text('query', 'form_post', 'fragment'),
  request: text('e30.e30.'),
  registration: text('{}'),
}

const present = <Value>(record: Record<string, Value | undefined>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Record<
    string,
    Value
  >

test('a pushed request has the outcome that it would have in the browser, whatever its parameters', {
  timeout: 60_000,
}, async () => {
  const requests = fc.record({
    plain: fc.record(parameters),
    // Mostly few at once, or one wrong parameter would hide all others.
    openid: fc
      .subarray(Object.keys(openidParameters), { maxLength: 3 })
      .chain((names) =>
        fc.record(
          Object.fromEntries(
            names.map((name) => [name, openidParameters[name as keyof typeof openidParameters]]),
          ),
        ),
      ),
    loggedIn: fc.boolean(),
  })
  let waiting = 0
  const judge = async ({ plain, openid, loggedIn }: { plain: object; openid: object; loggedIn: boolean }) => {
    const user = loggedIn ? ann : undefined
    const sent = {
      ...{ state: undefined, ...plain, clientId: 'client_a', resources: [] },
      openid: present<string>(openid as Record<string, string | undefined>),
    } as SentRequest
    const direct = await beginAuthorization(sent, { user, dryRun: false }, deps).then(outcomeOf, errorOf)
    const pushed = await push(sent).catch(errorOf)
    // The client itself learns of an error that would reach it by a redirect.
    if ('code' in pushed) {
      expect(pushed).toEqual('failure' in direct ? direct.failure : direct)
      return
    }
    waiting += 1
    expect(await visit(pushed.requestUri, user).then(outcomeOf, errorOf)).toEqual(direct)
  }
  await fc.assert(fc.asyncProperty(requests, judge), { numRuns: 1_500 })
  expect(waiting).toBeGreaterThan(20)
})

test('the first visit may come within a minute; from then on the user has as long as for any request', async () => {
  const { requestUri, expiresIn } = await push({ ...authorizationRequest, openid: {} })
  expect(expiresIn).toBe(60)
  const id = idInRequestUri(requestUri)
  const left = async () => {
    const [row] = await shared.query(
      `select extract(epoch from expires_at - now())::float8 as left from token.authorization_flows where id = '${id}'`,
    )
    return Number(row?.left)
  }
  expect(await left()).toBeLessThanOrEqual(60)
  const pending = await visit(requestUri)
  expect(pending.step).toBe('log_in')
  expect(await left()).toBeGreaterThan(800)
  // A later visit does not give more time.
  await shared.query(
    `update token.authorization_flows set expires_at = now() + interval '100 s' where id = '${id}'`,
  )
  await visit(requestUri)
  expect(await left()).toBeLessThanOrEqual(100)
})

test('of several first visits at the same moment each goes on', async () => {
  const { requestUri } = await push({ ...authorizationRequest, openid: {} })
  const steps = await Promise.all([1, 2, 3, 4, 5, 6].map(() => visit(requestUri)))
  expect(steps.map(({ step }) => step)).toEqual(Array(6).fill('log_in'))
})

test('one that nobody visited in time is unknown, and its row goes', async () => {
  const { requestUri } = await push({ ...authorizationRequest, openid: {} })
  const id = idInRequestUri(requestUri)
  await shared.query(`update token.authorization_flows set expires_at = now() where id = '${id}'`)
  await expect(visit(requestUri)).rejects.toMatchObject({ code: 'invalid_request_uri' })
  await deleteExpired(shared.database, 'authorization_flows')
  expect(await shared.query(`select from token.authorization_flows where id = '${id}'`)).toEqual([])
})

test('nothing goes on by its id before the first visit', async () => {
  const { requestUri } = await push({ ...authorizationRequest, openid: {} })
  const id = idInRequestUri(requestUri) ?? ''
  expect(await findAuthorization(id, deps)).toBeUndefined()
  await expect(continueAuthorization(id, { user: ann }, deps)).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await visit(requestUri)
  expect(await findAuthorization(id, deps)).toMatchObject({ id })
})

test('a client_id that cannot be one leads to no request', async () => {
  const { requestUri } = await push({ ...authorizationRequest, openid: {} })
  for (const clientId of ['', 'client_b', 'client_a\0'])
    await expect(visit(requestUri, undefined, clientId)).rejects.toMatchObject({
      code: 'invalid_request_uri',
    })
})

test('the id of a request that came in a browser is no request_uri', async () => {
  const begun = await beginAuthorization(
    { ...authorizationRequest, openid: {} },
    { user: undefined, dryRun: false },
    deps,
  )
  const id = begun.step === 'respond' ? expect.unreachable('it was answered') : begun.pending.id
  const requestUri = `urn:ietf:params:oauth:request_uri:${id}`
  await expect(visit(requestUri)).rejects.toMatchObject({ code: 'invalid_request_uri' })
})

test('where pushed requests are off, nothing is kept', async () => {
  const off = { ...deps, pushedRequests: 'off' as const }
  const sent = { ...authorizationRequest, openid: {} }
  await expect(
    pushAuthorization(sent, { presented: sender, ipAddress: '192.0.2.1' }, off),
  ).rejects.toMatchObject({ code: 'not_found' })
})
