import { type UserAttributes, userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import { describe, expect, test } from 'vitest'
import { noAuthority } from '../../src/authority/authority.ts'
import { noResourceIndicators } from '../../src/clients/resource-indicators.ts'
import { type IdTokenRules, idTokenFor } from '../../src/openid/id-token.ts'
import type { SessionGrant } from '../../src/openid/session-grant.ts'
import { findProfileOver } from '../../src/other-services/identity-client.ts'
import { userinfo } from '../../src/tokens/userinfo.ts'
import { connectionId } from '../authorization/logins.ts'
import { usersClient } from '../clients/clients.ts'
import { userGrant } from '../tokens/granted.ts'
import { claims, issuer, now, signer } from '../tokens/introspection-deps.ts'
import { organizationId } from './organizations.ts'

// Whoever controls an organization's provider can log in as each member, and allow an app everything.

const acme = organizationId(1)
const attributes: UserAttributes = {
  ...{ name: 'Ann Example', given_name: 'Ann', family_name: 'Example', picture: 'https://ann.example/a.png' },
  ...{ email: 'ann@home.example', email_verified: true, locale: 'de', zoneinfo: 'Europe/Berlin' },
}
const seenOnPages = { name: 'Ann Example', email: 'ann@home.example', email_verified: true }
const everything = { ...attributes, preferred_username: 'ann', updated_at: 1_000 }
const scope = 'openid profile email'
const client = usersClient({ scope, metadata: { id_token_user_claims: true } })

/** What an app learns, at userinfo and by the ID token, of a user for whom an organization vouches, or none. */
async function learned(vouchedBy: string | undefined, changes: Partial<SessionGrant> = {}) {
  const session: SessionGrant = {
    ...{ sessionId: 'session-1', nonce: undefined, authenticatedAt: new Date(now), methods: [] },
    ...{ connectionId: connectionId(1), byOrganization: true, claims: undefined, offline: false },
    sessionEndsAt: new Date(now + 3_600_000),
    ...changes,
  }
  const user = { userId: 'user-1', username: 'ann', attributes, updatedAt: new Date(1_000_000) }
  const findProfile = findProfileOver({
    getUserClaims: async () => ({ users: [{ ...user, ...(vouchedBy !== undefined && { vouchedBy }) }] }),
  })
  const granted = userGrant({ scope, organizationId: acme, session })
  const token = signer.sign({ ...claims, sub: 'user-1', scope, org_id: acme })
  const atUserinfo = await userinfo(token as string, {
    ...{ signer, audience: issuer, resourceIndicators: noResourceIndicators, now: () => now },
    ...{ authority: noAuthority, findProfile, findClient: async () => client },
    store: { findLive: async () => ({ grant: granted, permittedScope: scope }) },
    findSessionGrant: async () => session,
  })
  let inIdToken: Readonly<Record<string, unknown>> = {}
  const idTokens: IdTokenRules = {
    ...{ algorithms: ['RS256'], findProfile },
    signIdToken: async (_, signed) => {
      inIdToken = signed
      return 'signed'
    },
  }
  const of = { idTokens, authority: noAuthority, issuer, now: () => now }
  await idTokenFor(client, { accessToken: 'a.b.c', scope }, { grant: granted, first: true }, of)
  const ofUser = new Set(Object.keys(everything))
  const { sub: _, org_id: __, ...userinfoClaims } = atUserinfo
  const idTokenClaims = Object.fromEntries(Object.entries(inIdToken).filter(([name]) => ofUser.has(name)))
  return { userinfoClaims, idTokenClaims }
}
const both = (told: object) => ({ userinfoClaims: told, idTokenClaims: told })

test('the user here has every attribute that there is', () => {
  expect(Object.keys(attributes).sort()).toEqual(userAttributeEntries.map(([name]) => name).sort())
})

describe('after a login by a connection of an organization, apps learn', () => {
  test('of a member from elsewhere no more than the organization sees on its pages', async () => {
    const told = both({ ...seenOnPages, preferred_username: 'ann' })
    expect(await learned(undefined)).toEqual(told)
    expect(await learned(organizationId(2))).toEqual(told)
  })

  test('no more when they ask for claims one by one', async () => {
    const asked = { given_name: null, picture: { essential: true }, updated_at: null }
    expect(await learned(undefined, { claims: { userinfo: asked, id_token: asked } })).toEqual(
      both({ ...seenOnPages, preferred_username: 'ann' }),
    )
  })

  test('everything of a user for whom the organization vouches', async () => {
    expect(await learned(acme)).toEqual(both(everything))
  })
})

test('after a login by a way of the instance, apps learn everything in an organization too', async () => {
  expect(await learned(undefined, { byOrganization: false })).toEqual(both(everything))
})
