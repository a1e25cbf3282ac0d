import { beforeEach, describe, expect, test } from 'vitest'
import { listTokenHolders } from '../../src/administration/token-holders.ts'
import { createTokenHolderStore } from '../../src/store/token-holders.ts'
import { useDatabase } from '../store/database.ts'
import { verifier } from '../store/replica.ts'
import { acme, globex, startOrganizationReplica } from './organization-replica.ts'
import { membership, organizationId } from './organizations.ts'

const shared = useDatabase()
let one: ReturnType<typeof startOrganizationReplica>
/** Another replica, with another pool. */
let other: ReturnType<typeof startOrganizationReplica>
beforeEach(async () => {
  one = startOrganizationReplica(shared.database)
  other = startOrganizationReplica(shared.another(), one.members)
  await shared.query(
    'truncate token.access_tokens, token.refresh_tokens, token.revocations, token.authorization_codes',
  )
})

const invalid = { code: 'invalid_grant' }
/** The tokens of a new grant, with its user. */
async function granted(organization: typeof acme | undefined, userId?: string) {
  const { code, userId: id } = await one.authorize(organization, userId === undefined ? {} : { userId })
  return { ...(await one.replica.redeem(code)), userId: id }
}
const isActive = async ({ accessToken }: { accessToken: string }) => [
  await one.replica.isActive({ accessToken }),
  await other.replica.isActive({ accessToken }),
]
const redeemWith = (code: string, organization: string) =>
  one.replica.issue('authorization_code', { code, code_verifier: verifier, organization }, 'client_a')
const refreshWith = (refreshToken: string | undefined, organization: string) =>
  one.replica.issue('refresh_token', { refresh_token: refreshToken ?? '', organization }, 'client_a')

test('the tokens of a grant have its organization, and refreshes keep it', async () => {
  const tokens = await granted(acme)
  const next = await other.replica.refresh(tokens.refreshToken)
  for (const token of [tokens, next]) {
    expect(one.claimsOf(token)).toMatchObject({ org_id: acme.organizationId })
    expect(await one.replica.introspect(token.accessToken)).toMatchObject({ orgId: acme.organizationId })
  }
  expect(await one.replica.introspect(next.refreshToken ?? '', 'client_a')).toMatchObject({
    ...{ kind: 'refresh_token', orgId: acme.organizationId },
  })
})

test('the tokens of a grant without an organization have none', async () => {
  const tokens = await granted(undefined)
  expect(one.claimsOf(tokens)).not.toHaveProperty('org_id')
  expect(await one.replica.introspect(tokens.accessToken)).toMatchObject({ orgId: undefined })
})

test('a refresh token is active only while the client may act where its grant does', async () => {
  const [inAcme, inNone] = [await granted(acme), await granted(undefined)]
  const states = () =>
    Promise.all(
      [inAcme, inNone].map(async ({ refreshToken = '' }) =>
        (await one.replica.introspect(refreshToken, 'client_a')) === undefined ? 'inactive' : 'active',
      ),
    )
  expect(await states()).toEqual(['active', 'active'])
  one.setMode('off')
  expect(await states()).toEqual(['inactive', 'active'])
  await expect(one.replica.refresh(inAcme.refreshToken)).rejects.toMatchObject(invalid)
  one.setMode('required')
  expect(await states()).toEqual(['active', 'inactive'])
  await expect(one.replica.refresh(inNone.refreshToken)).rejects.toMatchObject(invalid)
  one.setMode('optional')
  expect(await states()).toEqual(['active', 'active'])
})

test('a token is inactive if somebody with the secret signed another organization, one more or one less', async () => {
  const [inAcme, inNone] = [await granted(acme), await granted(undefined)]
  const { signer } = one.replica
  const forged = async (token: { accessToken: string }, org_id: string | undefined) => {
    const claims = await signer.verify(token.accessToken)
    if (claims === undefined) return expect.unreachable('it was not signed here')
    return one.replica.introspect(await signer.sign({ ...claims, org_id }))
  }
  expect(await forged(inAcme, acme.organizationId)).toBeDefined()
  expect(await forged(inAcme, globex.organizationId)).toBeUndefined()
  expect(await forged(inAcme, undefined)).toBeUndefined()
  expect(await forged(inNone, acme.organizationId)).toBeUndefined()
})

describe.each([
  [
    'a membership that is taken',
    ({ userId }: { userId: string }) => one.revoke('membership', `${userId}:${acme.organizationId}`),
  ],
  ['an organization that is disabled', () => one.revoke('organization', acme.organizationId)],
] as const)('%s', (_, take) => {
  test('ends access tokens, refresh tokens and codes in it at once, on every replica', async () => {
    const tokens = await granted(acme)
    const { code } = await one.authorize(acme, { userId: tokens.userId })
    const elsewhere = await granted(globex, tokens.userId)
    const inNone = await granted(undefined, tokens.userId)
    await take(tokens)
    expect(await isActive(tokens)).toEqual([false, false])
    for (const { replica } of [one, other]) {
      await expect(replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
      await expect(replica.redeem(code)).rejects.toMatchObject(invalid)
      expect(await replica.introspect(tokens.refreshToken ?? '', 'client_a')).toBeUndefined()
    }
    for (const left of [elsewhere, inNone]) {
      expect(await isActive(left)).toEqual([true, true])
      await one.replica.refresh(left.refreshToken)
    }
  })

  test('revives nothing when it comes back, and new grants work', async () => {
    const tokens = await granted(acme)
    await take(tokens)
    // A session is seen by the millisecond: one that was seen in that of the revocation is covered by it.
    const now = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(now)
    const anew = await granted(acme, tokens.userId)
    expect(await isActive(tokens)).toEqual([false, false])
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
    expect(await isActive(anew)).toEqual([true, true])
    await other.replica.refresh(anew.refreshToken)
  })
})

test('the membership of another user is another one', async () => {
  const [ann, bob] = [await granted(acme), await granted(acme)]
  await one.revoke('membership', `${ann.userId}:${acme.organizationId}`)
  expect([await isActive(ann), await isActive(bob)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('a consent that is withdrawn ends what was given by it, in its organization or in none', async () => {
  const inNone = await granted(undefined)
  const { userId } = inNone
  const [inAcme, inGlobex] = [await granted(acme, userId), await granted(globex, userId)]
  const states = async () =>
    Promise.all([inNone, inAcme, inGlobex].map(async (token) => (await isActive(token))[0]))
  await one.revoke('consent', `${userId}:client_a:${acme.organizationId}`)
  expect(await states()).toEqual([true, false, true])
  await one.revoke('consent', `${userId}:client_a`)
  expect(await states()).toEqual([false, false, true])
})

test('an app is listed once for each organization in which it has tokens', async () => {
  const { userId } = await granted(undefined)
  await granted(acme, userId)
  await granted(acme, userId)
  await granted(globex, userId)
  const holders = await listTokenHolders(userId, createTokenHolderStore(shared.database))
  expect(holders.map(({ clientId, organizationId }) => [clientId, organizationId]).sort()).toEqual(
    [
      ['client_a', undefined],
      ['client_a', acme.organizationId],
      ['client_a', globex.organizationId],
    ].sort(),
  )
})

describe('the parameter organization at the token endpoint', () => {
  test.each(['acme', acme.organizationId, ''])('may name that of the grant: %j', async (organization) => {
    const { code } = await one.authorize(acme)
    const tokens = await redeemWith(code, organization)
    expect(one.claimsOf(await refreshWith(tokens.refreshToken, organization))).toMatchObject({
      org_id: acme.organizationId,
    })
  })

  test.each(['globex', globex.organizationId, organizationId(9), 'nobody', '-', 'a\0', 'x'.repeat(9_000)])(
    'refuses every other, and uses nothing up: %j',
    async (organization) => {
      const { code } = await one.authorize(acme)
      await expect(redeemWith(code, organization)).rejects.toMatchObject(invalid)
      const tokens = await one.replica.redeem(code)
      await expect(refreshWith(tokens.refreshToken, organization)).rejects.toMatchObject(invalid)
      await one.replica.refresh(tokens.refreshToken)
    },
  )

  test('refuses each where the grant has none', async () => {
    const { code } = await one.authorize(undefined)
    await expect(redeemWith(code, 'acme')).rejects.toMatchObject(invalid)
    const tokens = await one.replica.redeem(code)
    await expect(refreshWith(tokens.refreshToken, acme.organizationId)).rejects.toMatchObject(invalid)
  })
})

describe('a grant is judged again when it is used:', () => {
  test('in an organization, it ends while the client may not act in one', async () => {
    const { code } = await one.authorize(acme)
    const tokens = await granted(acme)
    one.setMode('off')
    await expect(one.replica.redeem(code)).rejects.toMatchObject(invalid)
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
    one.setMode('required')
    await one.replica.redeem(code)
    await one.replica.refresh(tokens.refreshToken)
  })

  test('in none, it ends while the client needs one', async () => {
    const { code } = await one.authorize(undefined)
    const tokens = await granted(undefined)
    one.setMode('required')
    await expect(one.replica.redeem(code)).rejects.toMatchObject(invalid)
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
    one.setMode('off')
    await one.replica.redeem(code)
    await one.replica.refresh(tokens.refreshToken)
  })

  test('it gives nothing to a user who is no member by now, also before the revocation comes', async () => {
    const { code, userId } = await one.authorize(acme)
    const tokens = await granted(acme, userId)
    one.members[userId] = []
    await expect(one.replica.redeem(code)).rejects.toMatchObject(invalid)
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
  })

  test('it gives nothing once the organization demands two factors, unless they were proven', async () => {
    const strict = membership({ secondFactorRequired: true })
    const [lax, proven] = [
      await one.authorize(acme),
      await one.authorize(acme, { methods: ['pwd', 'otp', 'mfa'] }),
    ]
    // Where OpenID Connect is off, nothing tells how they had logged in.
    const unknown = await one.authorize(acme, { inSession: false })
    for (const { userId } of [lax, proven, unknown]) one.members[userId] = [strict]
    await expect(one.replica.redeem(lax.code)).rejects.toMatchObject(invalid)
    await expect(one.replica.redeem(unknown.code)).rejects.toMatchObject(invalid)
    const tokens = await one.replica.redeem(proven.code)
    await one.replica.refresh(tokens.refreshToken)
  })
})

test('for a client that knows no organizations, the parameter has no effect and asks nobody', async () => {
  const { code } = await one.authorize(undefined, { clientId: 'client_off' })
  const organization = 'acme'
  const parameters = { code, code_verifier: verifier, organization }
  const { refreshToken = '' } = await one.replica.issue('authorization_code', parameters, 'client_off')
  await one.replica.issue('refresh_token', { refresh_token: refreshToken, organization }, 'client_off')
  expect(one.asked).toEqual([])
})

test('a stranger who names an organization asks nobody', async () => {
  await expect(refreshWith('no such token', 'acme')).rejects.toMatchObject(invalid)
  await expect(redeemWith('no such code', 'acme')).rejects.toMatchObject(invalid)
  expect(one.asked).toEqual([])
})

test('a client that knows no organizations is asked nothing, and costs no further statement', async () => {
  const { code } = await one.authorize(undefined, { clientId: 'client_off' })
  const before = shared.statements.length
  const tokens = await one.replica.redeem(code, { clientId: 'client_off' })
  await one.replica.refresh(tokens.refreshToken, { clientId: 'client_off' })
  expect(shared.statements.slice(before)).toEqual(['redeem_authorization_codes', 'rotate_refresh_tokens'])
  expect(one.asked).toEqual([])
})

test('the password grant gives tokens of no organization, and none to a client that needs one', async () => {
  expect(one.claimsOf(await one.replica.logIn())).not.toHaveProperty('org_id')
  one.setMode('required')
  await expect(one.replica.logIn()).rejects.toMatchObject({ code: 'unauthorized_client' })
})
