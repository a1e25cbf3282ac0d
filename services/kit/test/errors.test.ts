import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { IdentityServiceService as identity } from '@gatehouse/proto/identity/v1'
import { status as grpcStatus } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isPostponed, Refusal, toRefusal } from '../src/errors.ts'
import { createRpcClient, type RpcClient } from '../src/rpc/rpc-client.ts'
import { implement, type RpcServer, startRpcServer } from '../src/rpc/rpc-server.ts'
import { Registry } from '../src/telemetry/metrics.ts'
import { recordedLog } from '../testing/recorded-log.ts'

const { log, lines } = recordedLog()
const service = { authenticateUser: identity.authenticateUser }
/** A request with empty fields. */
const nobody = { username: '', password: '', ipAddress: '', knownBrowser: false, clientId: '' }
/** The error that the server throws next. */
let thrown: unknown
let server: RpcServer
let client: RpcClient<typeof service>

beforeAll(async () => {
  const failing = implement(service, {
    authenticateUser: async ({ username }) => {
      if (username === 'hang') await new Promise(() => undefined)
      throw thrown
    },
  })
  const options = { host: '127.0.0.1', port: 0, actor: 'test', log, registry: new Registry() }
  server = await startRpcServer([failing], options, () => undefined)
  client = createRpcClient(service, `127.0.0.1:${server.port}`, 5_000)
})

afterAll(async () => {
  client.close()
  await server.close(0)
})

async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(Refusal)
  return error as Refusal
}

const callWith = (error: unknown) => {
  thrown = error
  return refusalOf(client.authenticateUser(nobody))
}

test.each<[string, number]>([
  ['invalid_request', 400],
  ['invalid_client', 401],
  ['invalid_grant', 400],
  ['unauthorized_client', 400],
  ['unsupported_grant_type', 400],
  ['invalid_scope', 400],
  ['server_error', 500],
  ['temporarily_unavailable', 503],
  ['rate_limit_exceeded', 429],
  ['eventing_disabled', 503],
  ['login_required', 401],
  ['access_denied', 403],
  ['not_found', 404],
  ['method_not_allowed', 405],
  ['invalid_token', 401],
])('%s is in the catalogue and answers %i', (code, httpStatus) => {
  expect(errorCatalogue).toHaveProperty(code)
  expect(errorCatalogue[code as ErrorCode].httpStatus).toBe(httpStatus)
})

test('the description of rate_limit_exceeded tells the caller to try again later', () => {
  expect(errorCatalogue.rate_limit_exceeded.description).toContain('try again later')
})

const codes = Object.keys(errorCatalogue) as ErrorCode[]

test.each(codes)(
  '%s has a gRPC status that exists and a description that RFC 6749 section 5.2 allows',
  (code) => {
    const { grpcStatus: name, description } = errorCatalogue[code]
    expect(grpcStatus[name]).toBeTypeOf('number')
    expect(description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
  },
)

test.each(codes)('a refusal %s keeps its code and its description over a call', async (code) => {
  expect(await callWith(new Refusal(code, `Why ${code}.`))).toMatchObject({
    code,
    description: `Why ${code}.`,
  })
  expect((await callWith(new Refusal(code))).description).toBe(errorCatalogue[code].description)
})

test.each(['Zürich – ✓ 東京', '100% "sure" \\ %20', 'two\nlines', '👩‍🚀'.repeat(100)])(
  'a call keeps any description unchanged: %j',
  async (description) => {
    expect((await callWith(new Refusal('invalid_request', description))).description).toBe(description)
  },
)

test('the detail and the cause of a refusal stay in the process', async () => {
  const refusal = new Refusal('invalid_grant', 'Public.', {
    detail: 'private one',
    cause: new Error('private two'),
  })
  const received = await callWith(refusal)
  expect(received.detail).toBeUndefined()
  expect(JSON.stringify(received.cause)).not.toContain('private')
})

test('a refusal that says when to try again is one line of the log without a stack, and no error', async () => {
  lines.length = 0
  const detail = 'too many logins'
  const received = await callWith(
    new Refusal('temporarily_unavailable', undefined, { retryAfter: 1, detail }),
  )
  expect([received.code, received.retryAfter, isPostponed(received)]).toEqual([
    'temporarily_unavailable',
    1,
    true,
  ])
  expect(lines).toEqual([expect.objectContaining({ level: 30, msg: 'call refused', reason: detail })])
  expect(lines[0]).not.toHaveProperty('err')
  expect(isPostponed(await callWith(new Refusal('temporarily_unavailable')))).toBe(false)
})

test('an unknown error becomes a server_error without the error’s text, which only the log has', async () => {
  lines.length = 0
  const received = await callWith(new Error('password hunter2 is wrong'))
  expect(received).toMatchObject({
    code: 'server_error',
    description: errorCatalogue.server_error.description,
  })
  expect(JSON.stringify([received.message, received.cause])).not.toContain('hunter2')
  expect(JSON.stringify(lines)).toContain('hunter2')
})

test('toRefusal returns a refusal unchanged and makes any other error the cause of a server_error', () => {
  const refusal = new Refusal('invalid_scope')
  expect(toRefusal(refusal)).toBe(refusal)
  const error = new Error('x')
  expect(toRefusal(error)).toMatchObject({ code: 'server_error', cause: error })
  expect(toRefusal(undefined).code).toBe('server_error')
})

test('a call that takes too long is temporarily_unavailable, soon after its deadline', async () => {
  const start = performance.now()
  const call = client.authenticateUser({ ...nobody, username: 'hang' }, { deadline: Date.now() + 100 })
  expect((await refusalOf(call)).code).toBe('temporarily_unavailable')
  expect(performance.now() - start).toBeLessThan(4_500)
})

test('a service that is away is temporarily_unavailable at once', async () => {
  const options = { host: '127.0.0.1', port: 0, actor: 'test', log, registry: new Registry() }
  const gone = await startRpcServer([], options, () => undefined)
  await gone.close(0)
  const caller = createRpcClient(service, `127.0.0.1:${gone.port}`, 5_000)
  const start = performance.now()
  const { code } = await refusalOf(caller.authenticateUser(nobody))
  caller.close()
  expect(code).toBe('temporarily_unavailable')
  expect(performance.now() - start).toBeLessThan(4_500)
})

test('a client whose service was away is served as soon as the service is back', async () => {
  const options = { host: '127.0.0.1', port: 0, actor: 'test', log, registry: new Registry() }
  const first = await startRpcServer([], options, () => undefined)
  await first.close(0)
  const caller = createRpcClient(service, `127.0.0.1:${first.port}`, 5_000)
  await refusalOf(caller.authenticateUser(nobody))
  const answering = implement(service, { authenticateUser: async () => ({ outcome: undefined }) })
  const registry = new Registry()
  const second = await startRpcServer(
    [answering],
    { ...options, port: first.port, registry },
    () => undefined,
  )
  await expect
    .poll(() => caller.authenticateUser(nobody).catch(({ code }) => code), {
      timeout: 4_000,
    })
    .toEqual({ outcome: undefined })
  caller.close()
  await second.close(0)
})

test('an unknown error code becomes a server_error', async () => {
  const unknown = Object.assign(new Refusal('invalid_request', 'x'), { code: 'toString' })
  expect((await callWith(unknown)).code).toBe('server_error')
})
