import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { issueTokens, type TokenRequest } from '../../../src/grants/table.ts'
import { introspect, revoke } from '../../../src/tokens/introspection.ts'
import { keyedClient, presentingAssertion } from '../../clients/assertions/signed.ts'
import { findAmong } from '../../clients/clients.ts'
import { useDatabase } from '../database.ts'
import { verifier } from '../replica.ts'
import {
  assertion,
  countRows,
  grantTypes,
  isReplay,
  key,
  type Replica,
  redeem,
  refresh,
  send,
  start,
} from './proving-replica.ts'

const context = useDatabase()
// The first token makes its partition.
beforeAll(() => send(start(context.database), assertion()))
afterEach(() => context.database.pool.query('delete from token.spent_proofs'))

describe('the statement that stores the tokens spends the assertion', () => {
  test.each<[grant: string, statement: string, use: (at: Replica) => Promise<unknown>]>([
    ['client_credentials', 'insert_access_tokens_with_proofs', (at) => send(at, assertion())],
    [
      'authorization_code',
      'redeem_authorization_codes_with_proofs',
      async (at) => {
        const { code } = await at.authorize()
        context.statements.splice(0)
        return redeem(at, assertion(), code)
      },
    ],
    [
      'refresh_token',
      'rotate_refresh_tokens_with_proofs',
      async (at) => {
        const { code } = await at.authorize()
        const { refreshToken } = await redeem(at, assertion(), code)
        context.statements.splice(0)
        return refresh(at, assertion(), refreshToken)
      },
    ],
  ])('of %s: %s alone', async (_, statement, use) => {
    context.statements.splice(0)
    await use(start(context.database))
    expect(context.statements).toEqual([statement])
    expect(await countRows(context, 'spent_proofs')).toBeGreaterThan(0)
  })

  test('and those without one cost no more', async () => {
    const at = start(context.database)
    context.statements.splice(0)
    const presented = { credentials: [{ clientId: 'client_secret', clientSecret: 'right' }] }
    const parameters = { username: 'ann', password: 'hers' }
    await issueTokens({ grantType: 'password', parameters, resources: [], presented, ipAddress: '' }, at)
    expect(context.statements).not.toContain(expect.stringContaining('proof'))
    expect(await countRows(context, 'spent_proofs')).toBe(0)
  })
})

describe('a refusal that depends on the client spends the assertion before', () => {
  test.each<[what: string, request: Partial<TokenRequest>, code: string]>([
    ['a wrong scope', { parameters: { scope: 'admin' } }, 'invalid_scope'],
    [
      'a grant that it may not use',
      { grantType: 'password', parameters: { username: 'a', password: 'b' } },
      'unauthorized_client',
    ],
    [
      'a code that it does not have',
      { grantType: 'authorization_code', parameters: { code: 'c', code_verifier: verifier } },
      'invalid_grant',
    ],
    ['a parameter that is missing', { grantType: 'refresh_token' }, 'invalid_request'],
  ])('%s', async (_, request, code) => {
    const some = keyedClient([key], {
      grantTypes: new Set(['client_credentials', 'authorization_code', 'refresh_token']),
    })
    const at = start(context.database, { findClient: findAmong([some]) })
    const text = assertion()
    await expect(send(at, text, request)).rejects.toMatchObject({ code })
    expect(await countRows(context, 'spent_proofs')).toBe(1)
    await expect(send(at, text, request)).rejects.toEqual(isReplay)
  })

  test('a password is not even tried with a spent one', async () => {
    const tried: string[] = []
    const at = start(context.database, {
      authenticateUser: async ({ username }) => {
        tried.push(username)
        return { outcome: 'refused' }
      },
    })
    const text = assertion()
    const guess = (username: string) =>
      send(at, text, { grantType: 'password', parameters: { username, password: 'guess' } })
    await expect(guess('ann')).rejects.toMatchObject({ code: 'invalid_grant' })
    await expect(guess('bob')).rejects.toEqual(isReplay)
    expect(tried).toEqual(['ann'])
  })

  test('a failure of the server spends nothing', async () => {
    const at = start(context.database, {
      signer: {
        ...start(context.database).signer,
        checkFresh() {
          throw new Error('a bug')
        },
      },
    })
    const text = assertion()
    await expect(send(at, text)).rejects.toThrow('a bug')
    expect(await countRows(context, 'spent_proofs')).toBe(0)
    expect((await send(start(context.database), text)).accessToken).toBeDefined()
  })
})

describe('introspection and revocation', () => {
  const introspecting = (at: Replica, token: string, text: string) =>
    introspect(
      { token, presented: presentingAssertion(text) },
      { ...at, requireAuthentication: true, refreshTokenLifetime: 86_400, refreshTokensEnabled: true },
    )

  test('spend it in a statement of their own', async () => {
    const at = start(context.database)
    const { accessToken } = await send(at, assertion())
    const [one, other] = [assertion(), assertion()]
    context.statements.splice(0)
    expect(await introspecting(at, accessToken, one)).toMatchObject({ clientId: 'client_a' })
    expect(context.statements).toEqual(['spend_proofs', 'find_live_access_tokens'])
    await expect(introspecting(at, accessToken, one)).rejects.toEqual(isReplay)
    await expect(revoke({ token: accessToken, presented: presentingAssertion(one) }, at)).rejects.toEqual(
      isReplay,
    )
    expect(await at.isActive({ accessToken })).toBe(true)
    expect(await revoke({ token: accessToken, presented: presentingAssertion(other) }, at)).toBe(true)
    await expect(send(at, other)).rejects.toEqual(isReplay)
  })
})

describe('the same request', () => {
  test('may go on with what it has spent, when its client was changed meanwhile', async () => {
    let revision = 1n
    const changed = { clientId: 'client_a', scope: 'read write', grantTypes, disabled: false }
    const at = start(context.database, {
      findClient: async () => keyedClient([key], { grantTypes, revision }),
      refreshClient: async () => {
        revision = 2n
        return true
      },
    })
    await at.clientChanges.apply({ ...changed, revision: 2n })
    const text = assertion()
    const { accessToken } = await send(at, text)
    expect(await at.isActive({ accessToken })).toBe(true)
    expect(await countRows(context, 'spent_proofs')).toBe(1)
    await expect(send(at, text)).rejects.toEqual(isReplay)
    await context.database.pool.query('delete from token.client_changes')
  })
})
