import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { createCode } from '../../src/authorization/authorization-code.ts'
import { nextStep } from '../../src/authorization/next-step.ts'
import { createAccessTokenSigner } from '../../src/tokens/access-token.ts'
import { ownLogin } from '../authorization/logins.ts'
import { findAmong, someClient, usersClient } from '../clients/clients.ts'
import {
  files,
  filesServer,
  type ResourceRegistry,
  someServer,
  startResources,
  tools,
} from '../clients/resource-registry.ts'
import { onlyDefault, signingAtOnce } from '../keys/keys.ts'
import { useDatabase } from './database.ts'
import { authorizationRequest, startReplica } from './replica.ts'

const issuer = 'https://auth.example'
const scope = 'read tools:use files:read'
const loggedIn = {
  ...{ userId: 'u', username: 'ann', seenAt: new Date(), sessionId: 's' },
  ...{ sessionEndsAt: undefined, logins: ownLogin(undefined, []) },
}
const shared = useDatabase()
let registry: ResourceRegistry
let replica: ReturnType<typeof startReplica>

/** The clients; `client_rs` is a resource server that introspects, `client_other` one of another address. */
const clients = [
  usersClient({ scope }),
  someClient({ clientId: 'client_machine', scope, metadata: { access_token_lifetime: 7200 } }),
  someClient({ clientId: 'client_rs', scope }),
  someClient({ clientId: 'client_other', scope }),
]

beforeEach(async () => {
  await shared.query('truncate token.revocations')
  registry = await startResources(
    someServer({ clientId: 'client_rs' }),
    filesServer({ clientId: 'client_other' }),
  )
  replica = startReplica(shared.database, {
    findClient: findAmong(clients),
    resourceIndicators: registry.indicators,
    signer: signingAtOnce(
      createAccessTokenSigner(onlyDefault('a secret of at least thirty-two bytes'), {
        algorithm: 'HS256',
        issuer,
        audience: undefined,
      }),
    ),
  })
})

/** Creates a code for a user who has agreed. */
async function authorize(resources: string[], wanted = '') {
  const request = { ...authorizationRequest, scope: wanted, resources }
  const judged = await replica.check(request)
  const user = { userId: randomUUID(), username: 'ann', seenAt: new Date() }
  return (
    (await createCode(judged, undefined, user, {
      ...{ ...replica, openid: undefined, authorizationCodeLifetime: 600 },
    })) ?? ''
  )
}
const revoke = (id: string) => replica.revocations.add({ kind: 'resource', id, issuedBefore: 'now' })
const claimsOf = async ({ accessToken }: { accessToken: string }) => replica.signer.verify(accessToken)
const audienceOf = async (issued: { accessToken: string }) => (await claimsOf(issued))?.aud
const audiences = async (issued: { accessToken: string }) =>
  (await replica.introspect(issued.accessToken))?.audiences
const invalidTarget = { code: 'invalid_target' }

/** The statements that some work runs. */
async function statementsOf(work: () => Promise<unknown>) {
  const before = shared.statements.length
  await work()
  return shared.statements.slice(before)
}

describe('client_credentials', () => {
  test('gives a token for one resource server, for several, or for the default audience', async () => {
    const one = await replica.work('client_machine', '', [tools])
    const both = await replica.work('client_machine', '', [tools, files])
    const none = await replica.work('client_machine')
    expect(await Promise.all([one, both, none].map(audienceOf))).toEqual([tools, [tools, files], issuer])
    expect(await Promise.all([one, both, none].map(audiences))).toEqual([[tools], [tools, files], [issuer]])
    expect([one, both, none].map((token) => token.scope)).toEqual(['read tools:use', scope, 'read'])
  })

  test('has exactly the claims of RFC 9068', async () => {
    const claims = await claimsOf(await replica.work('client_machine', 'tools:use', [tools]))
    expect(Object.keys(claims ?? {}).toSorted()).toEqual([
      'aud',
      'client_id',
      'exp',
      'iat',
      'iss',
      'jti',
      'scope',
      'sub',
    ])
  })

  test('is valid for the shortest time that the client or a resource server wants', async () => {
    const lifetime = async (...resources: string[]) =>
      (await replica.work('client_machine', '', resources)).expiresIn
    registry.put(someServer({ tokenLifetime: 300 }), filesServer({ tokenLifetime: 9000 }))
    await registry.refresh()
    expect(await lifetime()).toBe(7200)
    expect(await lifetime(files)).toBe(7200)
    expect(await lifetime(files, tools)).toBe(300)
  })

  test('runs one statement, with or without a resource, and so does introspection', async () => {
    for (const resources of [[], [tools]]) {
      let token = ''
      expect(
        await statementsOf(async () => {
          token = (await replica.work('client_machine', '', resources)).accessToken
        }),
      ).toEqual(['insert_access_tokens'])
      expect(await statementsOf(() => replica.introspect(token, 'client_rs'))).toEqual([
        'find_live_access_tokens',
      ])
    }
    expect(registry.asked()).toBe(1)
  })
})

describe('a grant for resource servers', () => {
  test('gives its code’s tokens for those of them that are asked for', async () => {
    expect(
      await audienceOf(await replica.redeem(await authorize([tools, files]), { resources: [files] })),
    ).toBe(files)
    const all = await replica.redeem(await authorize([tools, files]))
    expect([await audienceOf(all), all.scope]).toEqual([[tools, files], scope])
    expect(await replica.isActive(all)).toBe(true)
  })

  test('never gives tokens for others, and a refused request does not use the code up', async () => {
    const code = await authorize([tools])
    await expect(replica.redeem(code, { resources: [files] })).rejects.toMatchObject(invalidTarget)
    await expect(replica.redeem(code, { resources: [tools, files] })).rejects.toMatchObject(invalidTarget)
    const { refreshToken, ...first } = await replica.redeem(code, { resources: [tools] })
    expect(await audienceOf(first)).toBe(tools)
    await expect(replica.refresh(refreshToken, { resources: [files] })).rejects.toMatchObject(invalidTarget)
    expect(await audienceOf(await replica.refresh(refreshToken))).toBe(tools)
  })

  test('without any resource server gives tokens for none', async () => {
    const code = await authorize([], 'read')
    await expect(replica.redeem(code, { resources: [tools] })).rejects.toMatchObject(invalidTarget)
    const { refreshToken, ...first } = await replica.redeem(code)
    expect(await audienceOf(first)).toBe(issuer)
    await expect(replica.refresh(refreshToken, { resources: [tools] })).rejects.toMatchObject(invalidTarget)
    const statements = await statementsOf(async () => {
      expect(await audienceOf(await replica.refresh(refreshToken))).toBe(issuer)
    })
    expect(statements).toEqual(['rotate_refresh_tokens'])
  })

  test('narrows the scope to what belongs to the resource servers that are asked for', async () => {
    const { refreshToken } = await replica.redeem(await authorize([tools, files]))
    const narrowed = await replica.refresh(refreshToken, { resources: [tools] })
    expect(narrowed.scope).toBe('read tools:use')
    await expect(
      replica.refresh(narrowed.refreshToken, { resources: [tools], scope: 'files:read' }),
    ).rejects.toMatchObject({ code: 'invalid_scope' })
    expect((await replica.refresh(narrowed.refreshToken)).scope).toBe(scope)
  })

  test('of a user’s password is for the resource servers that are asked for', async () => {
    const { refreshToken, ...first } = await replica.logIn('', [tools])
    expect(await audienceOf(first)).toBe(tools)
    expect(await audienceOf(await replica.refresh(refreshToken))).toBe(tools)
  })

  test('cannot be used while resource indicators are off', async () => {
    const { refreshToken } = await replica.redeem(await authorize([tools]))
    const off = startReplica(shared.database, { findClient: findAmong(clients) })
    await expect(off.refresh(refreshToken)).rejects.toMatchObject(invalidTarget)
    await expect(off.refresh(refreshToken, { resources: [tools] })).rejects.toMatchObject(invalidTarget)
    expect(await audienceOf(await replica.refresh(refreshToken))).toBe(tools)
  })
})

describe('what is taken from a resource server counts at once:', () => {
  test('its revocation ends its tokens and its part of grants, and spares others', async () => {
    const machines = await replica.work('client_machine', '', [tools])
    const several = await replica.work('client_machine', '', [files, tools])
    const spared = await replica.work('client_machine', '', [files])
    const code = await authorize([tools])
    const { refreshToken, ...users } = await replica.redeem(await authorize([tools, files]))
    await revoke(tools)
    const active = await Promise.all(
      [machines, several, users, spared].map((token) => replica.isActive(token)),
    )
    expect(active).toEqual([false, false, false, true])
    await expect(replica.redeem(code)).rejects.toMatchObject(invalidTarget)
    await expect(replica.refresh(refreshToken, { resources: [tools] })).rejects.toMatchObject(invalidTarget)
    expect(await audienceOf(await replica.refresh(refreshToken))).toBe(files)
  })

  test('tokens that were granted later are active', async () => {
    await revoke(tools)
    expect(await replica.isActive(await replica.work('client_machine', '', [tools]))).toBe(true)
  })

  test('a token that a replica issued before it learned of the change is not active', async () => {
    const late = await replica.work('client_machine', '', [tools])
    registry.put(someServer({ disabled: true }), filesServer())
    await registry.refresh()
    expect(await replica.isActive(late)).toBe(false)
    await expect(replica.work('client_machine', '', [tools])).rejects.toMatchObject(invalidTarget)
    registry.put(filesServer())
    await registry.refresh()
    expect(await replica.isActive(late)).toBe(false)
  })

  test('a disabled one is left out of a grant that has others', async () => {
    const { refreshToken } = await replica.redeem(await authorize([tools, files]))
    registry.put(someServer({ disabled: true }), filesServer())
    await registry.refresh()
    const left = await replica.refresh(refreshToken)
    expect([await audienceOf(left), left.scope]).toEqual([files, 'read files:read'])
  })
})

describe('introspection by a resource server', () => {
  test('shows it only the tokens for itself', async () => {
    const its = await replica.work('client_machine', '', [tools])
    const several = await replica.work('client_machine', '', [files, tools])
    const anothers = await replica.work('client_machine', '', [files])
    const nobodys = await replica.work('client_rs')
    const shown = async (clientId: string) =>
      Promise.all(
        [its, several, anothers, nobodys].map(
          async ({ accessToken }) => (await replica.introspect(accessToken, clientId)) !== undefined,
        ),
      )
    expect(await shown('client_rs')).toEqual([true, true, false, false])
    expect(await shown('client_other')).toEqual([false, true, true, false])
    expect(await shown('client_machine')).toEqual([true, true, true, true])
    registry.put(someServer({ clientId: 'client_rs', disabled: true }), filesServer())
    await registry.refresh()
    expect(await shown('client_rs')).toEqual([false, false, false, false])
  })
})

test('a consent covers a scope only at the resource servers for which it was given', async () => {
  const step = async (consented: string, resources: string[], wanted: string) => {
    const request = { ...authorizationRequest, scope: wanted, resources }
    const organization = { state: 'none' } as const
    const checked = { ...(await replica.check(request)), begunAt: undefined, organization }
    const ann = { ...loggedIn, consented: { clientId: 'client_a', scope: consented } }
    return nextStep(checked, ann, {}).step
  }
  const toolsAgreed = 'read tools-id"tools:use'
  expect(await step(toolsAgreed, [tools], 'read tools:use')).toBe('respond')
  expect(await step(toolsAgreed, [], 'read')).toBe('respond')
  expect(await step('read tools:use', [tools], 'read tools:use')).toBe('ask_consent')
  expect(await step(toolsAgreed, [tools, files], 'read tools:use files:read')).toBe('ask_consent')
  expect(await step(`${toolsAgreed} files-id"files:read`, [tools, files], scope)).toBe('respond')
})
