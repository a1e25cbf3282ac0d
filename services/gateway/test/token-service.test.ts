import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { TokenServiceService } from '@gatehouse/proto/token/v1'
import { expect, test } from 'vitest'
import { tokenServiceOver } from '../src/token-service.ts'

type Rpc = RpcClient<typeof TokenServiceService>

const request = (scope: string) => ({ credentials: [], scope, resources: [] })
const question = (token: string) => ({ token, credentials: [] })

/** A token service whose answer depends on the request: `refuse…` is refused, `lost` gets no outcome. */
function start(changes: Partial<Rpc> = {}) {
  const calls: { name: string; size: number; deadline: number | undefined }[] = []
  const refused = { $case: 'failure' as const, value: { code: 'invalid_scope', description: 'Not that.' } }
  const rpc = {
    issueTokens: async ({ items }, options) => {
      calls.push({ name: 'issueTokens', size: items.length, deadline: options?.deadline })
      return {
        results: items.map(({ scope }) => {
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
  expect(calls).toMatchObject([{ name: 'issueTokens', size: 4 }])
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
    tokens.introspect({ ...question('known.2.x'), bearerToken: 'made-up.2.x' }),
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
  expect(calls.map(({ name, size }) => `${name} ${size}`).sort()).toEqual([
    'introspectTokens 1',
    'issueTokens 1',
  ])
  for (const { deadline } of calls) {
    expect(deadline).toBeGreaterThan(Date.now())
    expect(deadline).toBeLessThanOrEqual(Date.now() + 5_000)
  }
})

test('a service that is away fails every waiting request with its error', async () => {
  const away = Object.assign(new Error('away'), { code: 'temporarily_unavailable' })
  const { tokens } = start({
    issueTokens: () => Promise.reject(away),
    revokeToken: () => Promise.reject(away),
  })
  const calls = [tokens.issue(request('a')), tokens.issue(request('b')), tokens.revoke(question('a'))]
  for (const one of await Promise.allSettled(calls)) expect(one).toEqual({ status: 'rejected', reason: away })
})

test('an answer with too few results fails every request', async () => {
  const { tokens } = start({ issueTokens: async () => ({ results: [] }) })
  await expect(tokens.issue(request('a'))).rejects.toThrow('1 items gave 0 results')
})

test('an unknown error code becomes a server_error', async () => {
  const outcome = { $case: 'failure' as const, value: { code: 'too_new', description: 'New.' } }
  const { tokens } = start({ issueTokens: async () => ({ results: [{ outcome }] }) })
  await expect(tokens.issue(request('a'))).rejects.toMatchObject({ code: 'server_error' })
})

const token = { accessToken: 'a', expiresIn: 1, scope: 'read' }
const grantRequest = (grantType: string, parameters: Record<string, string>) => ({
  ...{ credentials: [], grantType, parameters, resources: [], ipAddress: '192.0.2.1' },
})

test('concurrent codes share a call, and refresh tokens another one', async () => {
  const calls: string[][] = []
  const { tokens } = start({
    issueUserTokens: async ({ items }) => {
      calls.push(items.map(({ parameters }) => Object.values(parameters).join()))
      return { results: items.map(() => ({ outcome: { $case: 'token', value: token } })) }
    },
  })
  const asked = [
    ...['c1', 'c2'].map((code) => grantRequest('authorization_code', { code })),
    ...['r1', 'r2', 'r3'].map((refresh_token) => grantRequest('refresh_token', { refresh_token })),
  ]
  expect(await Promise.all(asked.map(tokens.issueFor))).toEqual(asked.map(() => token))
  expect(calls.toSorted()).toEqual([
    ['c1', 'c2'],
    ['r1', 'r2', 'r3'],
  ])
})

test('a password makes a call of its own, and an answer without a token is an error', async () => {
  const asked: unknown[] = []
  const issueToken = async (one: unknown) => {
    asked.push(one)
    return { token: asked.length === 1 ? token : undefined }
  }
  const { tokens, calls } = start({ issueToken })
  const request = grantRequest('password', { username: 'ann', password: 'hers' })
  expect(await tokens.issueFor(request)).toEqual(token)
  await expect(tokens.issueFor(request)).rejects.toThrow('gave no token')
  expect(asked).toEqual([request, request])
  expect(calls).toEqual([])
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
  const alone: unknown[] = []
  const { tokens } = start({
    beginAuthorizations: async () => {
      throw new Error('shared')
    },
    beginAuthorization: async ({ state }) => {
      alone.push(state)
      return { next: undefined }
    },
  })
  const request = {
    ...{ responseType: 'code', clientId: 'a', redirectUri: '', scope: '', codeChallenge: '' },
    ...{ codeChallengeMethod: '', openid: {}, resources: [] },
  }
  const asked = [
    { ...authorizationOf('document'), request: { ...request, clientId: 'https://app.example/client' } },
    { ...authorizationOf('hint'), request: { ...request, openid: { id_token_hint: 'a.b.c' } } },
  ]
  await Promise.all(asked.map(tokens.beginAuthorization))
  expect(alone).toEqual(['document', 'hint'])
})
