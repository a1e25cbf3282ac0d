import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { listTokenHolders } from '../../src/administration/token-holders.ts'
import { createCode } from '../../src/authorization/authorization-code.ts'
import { digestOf } from '../../src/keys/digest.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { createTokenHolderStore } from '../../src/store/token-holders.ts'
import { usersClient } from '../clients/clients.ts'
import { useDatabase } from '../store/database.ts'
import { authorizationRequest, redirectUri } from '../store/replica.ts'
import { acme, startOrganizationReplica } from './organization-replica.ts'

// Token services of 0.7.0 run beside these. They do not know organizations: what they gave for a grant of one would be of none.

const shared = useDatabase()
let one: ReturnType<typeof startOrganizationReplica>
const expiresAt = Math.floor(Date.now() / 1000) + 3_600
beforeEach(async () => {
  one = startOrganizationReplica(shared.database)
  await shared.query(
    'truncate token.access_tokens, token.refresh_tokens, token.revocations, token.authorization_codes, token.client_changes',
  )
  await createPartitions(shared.database).make([expiresAt])
})

/** A statement of 0.7.0, as PostgreSQL got it. */
const released = (name: string) =>
  readFileSync(new URL(`../store/released/${name}.sql`, import.meta.url), 'utf8')
const newTokens = () => [[expiresAt], [randomUUIDv7()], [randomBytes(32)], [86_400], [null]]
/** The rows that 0.7.0 gets when it redeems a code. */
const redeemReleased = (code: string, challenge: string = authorizationRequest.codeChallenge) =>
  shared.query(released('redeem_authorization_codes'), [
    ...newTokens(),
    ...[[digestOf(code)], ['client_a'], [challenge], [null], [1], [redirectUri], ['read write']],
  ])
/** The rows that 0.7.0 gets when it uses a refresh token. */
const refreshReleased = (refreshToken = '') =>
  shared.query(released('rotate_refresh_tokens'), [
    ...newTokens(),
    ...[[digestOf(refreshToken)], ['client_a'], [null], [1], ['read write']],
    ...[['authorization_code refresh_token password'], 7 * 86_400],
  ])
async function granted(organization: typeof acme | undefined) {
  const { code, userId } = await one.authorize(organization)
  return { ...(await one.replica.redeem(code)), userId }
}
/** The client may use these grants from now on, and no other. */
async function changeClient(revision: bigint, ...names: string[]) {
  const grantTypes = new Set(names)
  const metadata = { organizations: 'optional' } as const
  one.put(usersClient({ createdBy: 'administrator', metadata, grantTypes, revision }))
  await one.replica.clientChanges.apply({
    ...{ clientId: 'client_a', revision, scope: 'read write', disabled: false, grantTypes },
  })
}
const invalid = { code: 'invalid_grant' }

describe('0.7.0', () => {
  test('redeems a code of no organization, and none of an organization', async () => {
    expect(await redeemReleased((await one.authorize(undefined)).code)).toHaveLength(1)
    const { code } = await one.authorize(acme)
    expect(await redeemReleased(code)).toEqual([])
    const tokens = await one.replica.redeem(code)
    expect(one.claimsOf(tokens)).toMatchObject({ org_id: acme.organizationId })
  })

  test('uses a refresh token of no organization, and none of an organization', async () => {
    expect(await refreshReleased((await granted(undefined)).refreshToken)).toHaveLength(1)
    const tokens = await granted(acme)
    expect(await refreshReleased(tokens.refreshToken)).toEqual([])
    const next = await one.replica.refresh(tokens.refreshToken)
    expect(await refreshReleased(next.refreshToken)).toEqual([])
    expect(one.claimsOf(await one.replica.refresh(next.refreshToken))).toMatchObject({
      org_id: acme.organizationId,
    })
  })

  test('redeems no code of an organization that was requested without a challenge', async () => {
    const judged = await one.replica.check(authorizationRequest)
    const codeOf = async (organizationId: string | undefined) => {
      const code = await createCode(
        { ...judged, codeChallenge: undefined, grant: { ...judged.grant, organizationId } },
        undefined,
        { userId: 'user-1', username: 'ann', seenAt: new Date() },
        { ...one.replica, openid: undefined, authorizationCodeLifetime: 600 },
      )
      return code ?? ''
    }
    expect(await redeemReleased(await codeOf(undefined), '')).toHaveLength(1)
    const code = await codeOf(acme.organizationId)
    expect(await redeemReleased(code, '')).toEqual([])
    const redeemed = await one.replica.codes.redeem(
      {
        ...{ digest: digestOf(code), client: usersClient() },
        ...{ codeChallenge: undefined, redirectUri: undefined },
        organization: { mode: 'optional', asked: undefined },
      },
      { expiresAt, jti: randomUUIDv7(), resources: [], refreshToken: undefined },
    )
    expect(redeemed).toMatchObject({ grant: { organizationId: acme.organizationId } })
  })
})

describe('here a grant of an organization', () => {
  test('has its code checked by the verifier, and ends when that is used again', async () => {
    const { code } = await one.authorize(acme)
    await expect(one.replica.redeem(code, { codeVerifier: 'x'.repeat(43) })).rejects.toMatchObject({
      detail: 'the code_verifier is wrong',
    })
    const tokens = await one.replica.redeem(code)
    await expect(one.replica.redeem(code)).rejects.toMatchObject({ detail: 'the code was redeemed before' })
    expect(await one.replica.isActive(tokens)).toBe(false)
  })

  test('gives one successor for repeated use of a refresh token, and ends when that is used again later', async () => {
    const { refreshToken } = await granted(acme)
    const [first, second] = [await one.replica.refresh(refreshToken), await one.replica.refresh(refreshToken)]
    expect(second.refreshToken).toBe(first.refreshToken)
    const third = await one.replica.refresh(second.refreshToken)
    await expect(one.replica.refresh(refreshToken)).rejects.toMatchObject({
      detail: 'the refresh token was used before',
    })
    expect(await one.replica.isActive(third)).toBe(false)
  })

  test('ends when its refresh token is revoked', async () => {
    const tokens = await granted(acme)
    await one.replica.revoke(tokens.refreshToken ?? '')
    expect(await one.replica.isActive(tokens)).toBe(false)
    await expect(one.replica.refresh(tokens.refreshToken)).rejects.toMatchObject(invalid)
  })

  test('lives as long as the client may use the grant that gave it', async () => {
    const tokens = await granted(acme)
    const lives = async () => [
      await one.replica.isActive(tokens),
      (await one.replica.introspect(tokens.refreshToken ?? '', 'client_a')) !== undefined,
      (await listTokenHolders(tokens.userId, createTokenHolderStore(shared.database))).length,
    ]
    await changeClient(2n, 'authorization_code', 'refresh_token')
    expect(await lives()).toEqual([true, true, 1])
    const next = await one.replica.refresh(tokens.refreshToken)
    await changeClient(3n, 'password', 'refresh_token')
    expect(await lives()).toEqual([false, false, 0])
    await expect(one.replica.refresh(next.refreshToken)).rejects.toMatchObject({
      detail: 'the client may no longer use the grant',
    })
  })

  test('names its grant in access tokens as any other does', async () => {
    const { refreshToken } = await granted(acme)
    await one.replica.refresh(refreshToken)
    const typesIn = (table: string) => shared.query(`select distinct grant_type from token.${table}`)
    expect(await typesIn('access_tokens')).toEqual([{ grant_type: 'authorization_code' }])
    expect(await typesIn('refresh_tokens')).toEqual([{ grant_type: 'organization:authorization_code' }])
  })
})
