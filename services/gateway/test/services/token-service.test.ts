import { refusalFromGrpc } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { TokenServiceService } from '@gatehouse/proto/token/v1'
import { expect, test, vi } from 'vitest'
import { tokenServiceOver } from '../../src/services/token-service.ts'

type Rpc = RpcClient<typeof TokenServiceService>

const presented = { credentials: [{ clientId: 'client_a', clientSecret: 'right' }] }
const grantRequest = (grantType: string, parameters: Record<string, string>) => ({
  ...{ presented, grantType, parameters, resources: [], ipAddress: '192.0.2.1' },
})
const request = (scope: string) => grantRequest('client_credentials', { scope })
const question = (token: string) => ({ token })

/** A token service whose answer depends on the request: `refuse…` is refused, `lost` gets no outcome. */
function start(changes: Partial<Rpc> = {}) {
  const calls: { name: string; size: number; deadline: number | undefined }[] = []
  const refused = { $case: 'failure' as const, value: { code: 'invalid_scope', description: 'Not that.' } }
  const rpc = {
    issue: async ({ items }, options) => {
      calls.push({ name: 'issue', size: items.length, deadline: options?.deadline })
      return {
        results: items.map(({ parameters: { scope = '' } }) => {
          if (scope === 'lost') return { outcome: undefined }
          if (scope.startsWith('refuse')) return { outcome: refused }
          return {
            outcome: { $case: 'token', value: { accessToken: `token of ${scope}`, expiresIn: 1, scope } },
          }
        }),
      }
    },
    introspectTokens: async ({ items }, options) => {
      calls.push({ name: 'introspectTokens', size: items.length, deadline: options?.deadline })
      return {
        results: items.map(({ token }) => {
          if (token === 'lost') return { outcome: undefined }
          if (token.startsWith('refuse')) return { outcome: refused }
          if (token === 'inactive') return { outcome: { $case: 'inactive', value: {} } }
          return { outcome: { $case: 'active', value: { ...active, scope: token } } }
        }),
      }
    },
    revokeToken: async () => ({}),
    revokeMany: async () => ({}),
    close: () => undefined,
    ...changes,
  } as Rpc
  return { tokens: tokenServiceOver(rpc), calls }
}

const active = {
  scope: '',
  clientId: 'a',
  username: 'a',
  exp: 2,
  iat: 1,
  sub: 'a',
  aud: 'x',
  audiences: [],
  iss: 'x',
  jti: 'x',
}

test('concurrent token requests share a call, and each gets its own answer or refusal', async () => {
  const { tokens, calls } = start()
  const settled = await Promise.allSettled(
    ['a', 'refuse', 'b', 'lost'].map((scope) => tokens.issue(request(scope))),
  )
  expect(calls).toMatchObject([{ name: 'issue', size: 4 }])
  expect(settled).toMatchObject([
    { value: { accessToken: 'token of a' } },
    { reason: { code: 'invalid_scope', description: 'Not that.' } },
    { value: { accessToken: 'token of b' } },
    { reason: { code: 'server_error' } },
  ])
})

test('concurrent introspections share a call, and each gets its own answer or refusal', async () => {
  const { tokens, calls } = start()
  const asked = ['a', 'inactive', 'refuse', 'lost', 'b'].map((token) => tokens.introspect(question(token)))
  const settled = await Promise.allSettled(asked)
  expect(calls).toMatchObject([{ name: 'introspectTokens', size: 5 }])
  expect(settled).toMatchObject([
    { value: { scope: 'a' } },
    { status: 'fulfilled', value: undefined },
    { reason: { code: 'invalid_scope' } },
    { reason: { code: 'server_error' } },
    { value: { scope: 'b' } },
  ])
})

test('a token of an unknown key shares no call with those of known keys, which it could delay', async () => {
  const waiting = Promise.withResolvers<void>()
  const calls: string[][] = []
  const { tokens } = start({
    introspectTokens: async ({ items }) => {
      calls.push(items.map(({ token }) => token))
      if (items.some(({ token, bearerToken }) => `${token}${bearerToken}`.includes('made-up')))
        await waiting.promise
      const value = (scope: string) => ({
        outcome: { $case: 'active' as const, value: { ...active, scope } },
      })
      return { results: items.map(({ token }) => value(token)) }
    },
  })
  // An opaque token never waits for a key, and a JWT's header is known once it was active.
  await Promise.all([tokens.introspect(question('opaque')), tokens.introspect(question('known.1.x'))])
  expect(calls).toEqual([['opaque'], ['known.1.x']])
  const slow = [
    tokens.introspect(question('made-up.1.x')),
    tokens.introspect({
      ...question('known.2.x'),
      presented: { credentials: [], token: { token: 'made-up.2.x', scheme: 'bearer' } },
    }),
  ]
  const quick = [tokens.introspect(question('known.3.x')), tokens.introspect(question('opaque'))]
  expect(await Promise.all(quick)).toMatchObject([{ scope: 'known.3.x' }, { scope: 'opaque' }])
  waiting.resolve()
  expect(await Promise.all(slow)).toMatchObject([{ scope: 'made-up.1.x' }, { scope: 'known.2.x' }])
  expect(calls.slice(2).toSorted()).toEqual([
    ['known.3.x', 'opaque'],
    ['made-up.1.x', 'known.2.x'],
  ])
})

test('a batch has one kind of item, and a deadline', async () => {
  const { tokens, calls } = start()
  await Promise.all([tokens.issue(request('a')), tokens.introspect(question('a'))])
  expect(calls.map(({ name, size }) => `${name} ${size}`).sort()).toEqual(['introspectTokens 1', 'issue 1'])
  for (const { deadline } of calls) {
    expect(deadline).toBeGreaterThan(Date.now())
    expect(deadline).toBeLessThanOrEqual(Date.now() + 5_000)
  }
})

test('a service that is away fails every waiting request with its error', async () => {
  const away = Object.assign(new Error('away'), { code: 'temporarily_unavailable' })
  const { tokens } = start({
    issue: () => Promise.reject(away),
    revokeToken: () => Promise.reject(away),
  })
  const calls = [tokens.issue(request('a')), tokens.issue(request('b')), tokens.revoke(question('a'))]
  for (const one of await Promise.allSettled(calls)) expect(one).toEqual({ status: 'rejected', reason: away })
})

test('an answer with too few results fails every request', async () => {
  const { tokens } = start({ issue: async () => ({ results: [] }) })
  await expect(tokens.issue(request('a'))).rejects.toThrow('1 items gave 0 results')
})

test('an unknown error code becomes a server_error', async () => {
  const outcome = { $case: 'failure' as const, value: { code: 'too_new', description: 'New.' } }
  const { tokens } = start({ issue: async () => ({ results: [{ outcome }] }) })
  await expect(tokens.issue(request('a'))).rejects.toMatchObject({ code: 'server_error' })
})

const token = { accessToken: 'a', expiresIn: 1, scope: 'read' }

test('concurrent codes share a call, and refresh tokens another one', async () => {
  const calls: string[][] = []
  const { tokens } = start({
    issue: async ({ items }) => {
      calls.push(items.map(({ parameters }) => Object.values(parameters).join()))
      return { results: items.map(() => ({ outcome: { $case: 'token', value: token } })) }
    },
  })
  const asked = [
    ...['c1', 'c2'].map((code) => grantRequest('authorization_code', { code })),
    ...['r1', 'r2', 'r3'].map((refresh_token) => grantRequest('refresh_token', { refresh_token })),
  ]
  expect(await Promise.all(asked.map(tokens.issue))).toEqual(asked.map(() => token))
  expect(calls.toSorted()).toEqual([
    ['c1', 'c2'],
    ['r1', 'r2', 'r3'],
  ])
})

test('passwords, which are slow, have a call each, and none waits for another', async () => {
  const sizes: number[] = []
  const hanging = Promise.withResolvers<void>()
  const { tokens } = start({
    issue: async ({ items }) => {
      sizes.push(items.length)
      if (sizes.length <= 20) await hanging.promise
      return { results: items.map(() => ({ outcome: { $case: 'token', value: token } })) }
    },
  })
  const request = grantRequest('password', { username: 'ann', password: 'hers' })
  const slow = Array.from({ length: 20 }, () => tokens.issue(request))
  await vi.waitFor(() => expect(sizes).toHaveLength(20))
  expect(await tokens.issue(request)).toEqual(token)
  hanging.resolve()
  expect(await Promise.all(slow)).toEqual(slow.map(() => token))
  expect(new Set(sizes)).toEqual(new Set([1]))
})

test('a refusal says when to try again', async () => {
  const value = { code: 'rate_limit_exceeded', description: 'Later.', retryAfter: 77 }
  const { tokens } = start({ issue: async () => ({ results: [{ outcome: { $case: 'failure', value } }] }) })
  await expect(tokens.issue(grantRequest('password', {}))).rejects.toMatchObject(value)
})

test('a grant that there is not is refused without a call', async () => {
  const { tokens, calls } = start()
  for (const grantType of ['', 'unknown', 'constructor'])
    await expect(tokens.issue(grantRequest(grantType, {}))).rejects.toMatchObject({
      code: 'unsupported_grant_type',
    })
  expect(calls).toEqual([])
})

test('a token service of release 0.7.0 gets the same requests by the name that it knows', async () => {
  const unimplemented = Object.assign(new Error('unknown method'), { code: 12 })
  const asked: string[] = []
  const { tokens } = start({
    issue: () => Promise.reject(refusalFromGrpc(unimplemented as Parameters<typeof refusalFromGrpc>[0])),
    issueUserTokens: async ({ items }) => {
      expect(items.map(({ credentials }) => credentials)).toEqual([presented.credentials])
      asked.push(...items.map(({ grantType, parameters }) => `${grantType} ${Object.values(parameters)}`))
      return { results: items.map(() => ({ outcome: { $case: 'token', value: token } })) }
    },
  })
  expect(await tokens.issue(request('read'))).toEqual(token)
  expect(await tokens.issue(grantRequest('refresh_token', { refresh_token: 'r' }))).toEqual(token)
  expect(asked).toEqual(['client_credentials read', 'refresh_token r'])
})

test('a token service of either release reads who introspects and who revokes', async () => {
  const asked: unknown[] = []
  const { tokens } = start({
    introspectTokens: async ({ items }) => {
      asked.push(...items)
      return { results: items.map(() => ({ outcome: { $case: 'inactive', value: {} } })) }
    },
    revokeToken: async (request) => {
      asked.push(request)
      return {}
    },
  })
  const withToken = { credentials: [], token: { token: 'a', scheme: 'bearer' } }
  const bound = { credentials: [], token: { token: 'a', scheme: 'another' } }
  for (const who of [{ presented }, { presented: withToken }, { presented: bound }, { own: true }])
    await tokens.introspect({ ...question('x'), ...who })
  await tokens.revoke({ token: 'x', presented })
  expect(asked).toEqual([
    { token: 'x', credentials: presented.credentials },
    { token: 'x', credentials: [], bearerToken: 'a' },
    { token: 'x', presented: bound, credentials: [], bearerToken: 'a' },
    { token: 'x', own: true, credentials: [] },
    { token: 'x', credentials: presented.credentials },
  ])
})

const authorizationOf = (state: string) => ({ request: undefined, state, user: undefined, dryRun: false })

test('authorization requests that begin at the same moment share a call', async () => {
  const sizes: number[] = []
  const { tokens } = start({
    beginAuthorizations: async ({ items }) => {
      sizes.push(items.length)
      return {
        results: items.map(({ state }) =>
          state === 'refused'
            ? { outcome: { $case: 'failure', value: { code: 'invalid_client', description: 'Unknown.' } } }
            : { outcome: { $case: 'response', value: { next: undefined } } },
        ),
      }
    },
  })
  const asked = ['a', 'refused', 'b'].map((state) => tokens.beginAuthorization(authorizationOf(state)))
  expect(await Promise.allSettled(asked)).toMatchObject([
    { value: { next: undefined } },
    { reason: { code: 'invalid_client', description: 'Unknown.' } },
    { value: { next: undefined } },
  ])
  expect(sizes).toEqual([3])
})

test('an authorization request that may have to wait for a document or a key makes a call of its own', async () => {
  const calls: unknown[][] = []
  const { tokens } = start({
    beginAuthorizations: async ({ items }) => {
      calls.push(items.map(({ state }) => state))
      return { results: items.map(() => ({ outcome: { $case: 'response', value: { next: undefined } } })) }
    },
  })
  const request = {
    ...{ responseType: 'code', clientId: 'a' },
    ...{ openid: {}, resources: [] },
  }
  const asked = [
    { ...authorizationOf('document'), request: { ...request, clientId: 'https://app.example/client' } },
    { ...authorizationOf('hint'), request: { ...request, openid: { id_token_hint: 'a.b.c' } } },
  ]
  const quick = ['a', 'b'].map(authorizationOf)
  await Promise.all([...asked, ...quick].map(tokens.beginAuthorization))
  expect(calls.toSorted()).toEqual([['a', 'b'], ['document'], ['hint']])
})
