import { describe, expect, test } from 'vitest'
import { createAuthority } from '../../src/authority/authority.ts'
import type { AuthorityQuestion } from '../../src/authority/needs.ts'
import { noResourceIndicators } from '../../src/clients/resource-indicators.ts'
import { claimsInIdToken } from '../../src/openid/id-token.ts'
import { findMembership } from '../../src/organizations/organizations.ts'
import { attributesOver } from '../../src/other-services/open-authority.ts'
import { userinfo } from '../../src/tokens/userinfo.ts'
import { someClient } from '../clients/clients.ts'
import { someServer, tools } from '../clients/resource-registry.ts'
import { userGrant } from '../tokens/granted.ts'
import { claims, issuer, now, signer } from '../tokens/introspection-deps.ts'
import { membership, organizationsOf } from './organizations.ts'

const acme = membership({ attributes: { name: 'Ann of Sales', desk: '7', email: 'root@acme.example' } })
const { organizationId } = acme
const profile = {
  username: 'ann',
  attributes: { name: 'Ann', email: 'ann@home.example' },
  updatedAt: new Date(0),
}

function start(scopes = new Map<string, string>()) {
  const questions: AuthorityQuestion[] = []
  const { organizations, asked } = organizationsOf({ 'user-1': [acme] })
  const findProfile = async () => profile
  const authority = createAuthority({
    findAuthority: async (question) => {
      questions.push(question)
      const names = question.organizationId === undefined ? ['user'] : ['maker']
      const roles = new Map(question.resourceIds.map((id) => [id, names] as const))
      return { revision: 1n, roles, groups: question.organizationId === undefined ? ['all'] : ['sales'] }
    },
    findAttributes: attributesOver(findProfile, organizations),
    organizations,
    knownServers: () => ({ byIdentifier: new Map(), scopes: new Set(scopes.keys()) }),
  })
  return { authority, asked, questions, findProfile }
}
const client = someClient({ scope: 'openid organization groups' })
const wanted = { client, userId: 'user-1', scope: 'openid organization', requested: {}, inToken: true }

describe('the scope organization', () => {
  test('gives the name and the slug of the organization of a grant', async () => {
    const { authority } = start()
    expect(await authority.claimsAbout({ ...wanted, organizationId })).toEqual({
      ...{ org_name: 'Acme', org_slug: 'acme' },
    })
  })

  test('gives nothing where the grant has none, and nobody is asked', async () => {
    const { authority, asked } = start()
    expect(await authority.claimsAbout({ ...wanted, organizationId: undefined })).toEqual({})
    expect(await authority.claimsAbout({ ...wanted, scope: 'openid', organizationId })).toEqual({})
    expect(asked).toEqual([])
  })

  test('permits each claim by itself', async () => {
    const { authority } = start()
    const one = { ...wanted, organizationId, scope: 'openid', requested: { org_slug: null } }
    expect(await authority.claimsAbout(one)).toEqual({ org_slug: 'acme' })
    const without = { ...one, client: someClient({ scope: 'openid' }) }
    expect(await authority.claimsAbout(without)).toEqual({})
  })

  test('keeps its meaning where a resource server has defined it', async () => {
    const { authority } = start(new Map([['organization', 'Its own']]))
    expect(authority.claimScopes()).toEqual(['groups', 'roles'])
    expect(await authority.claimsAbout({ ...wanted, organizationId })).toEqual({})
  })

  test('gives nothing to a user who is no member by now', async () => {
    const { authority } = start()
    expect(await authority.claimsAbout({ ...wanted, userId: 'user-2', organizationId })).toBeUndefined()
  })
})

test('ID tokens and userinfo have the id without a scope, and groups of the organization only', async () => {
  const { authority, findProfile, questions } = start()
  const of = { userId: 'user-1', scope: 'openid groups', requested: {}, readBy: undefined }
  const deps = { findProfile, authority }
  expect(await claimsInIdToken(client, { ...of, organizationId }, deps)).toEqual({
    ...{ org_id: organizationId, groups: ['sales'] },
  })
  expect(await claimsInIdToken(client, { ...of, organizationId: undefined }, deps)).toEqual({
    groups: ['all'],
  })
  const token = signer.sign({ ...claims, sub: 'user-1', scope: 'openid groups', org_id: organizationId })
  const grant = userGrant({ scope: 'openid groups', organizationId })
  const told = await userinfo(token as string, {
    ...{
      signer,
      audience: issuer,
      resourceIndicators: noResourceIndicators,
      now: () => now,
      authority,
      findProfile,
    },
    store: { findLive: async () => ({ grant, permittedScope: 'openid groups' }) },
    findSessionGrant: async () => undefined,
    findClient: async () => client,
  })
  expect(told).toEqual({ sub: 'user-1', org_id: organizationId, groups: ['sales'] })
  expect(questions.map((one) => one.organizationId)).toEqual([organizationId, undefined, organizationId])
})

test('an access token of an organization has roles, groups and attributes of it only, and no address from it', async () => {
  const { authority } = start()
  const server = someServer({
    ...{ identifier: tools, tokenClaims: ['roles', 'groups', 'name', 'email'] },
    roles: new Map([
      ['user', []],
      ['maker', []],
    ]),
  })
  const carriedIn = async (organization: string | undefined) => {
    const acting = { client, userId: 'user-1', organizationId: organization }
    return (await authority.judge(acting, { servers: [server] }, 'tools:use'))?.authority?.carried
  }
  expect(await carriedIn(organizationId)).toEqual({
    roles: ['maker'],
    groups: ['sales'],
    name: 'Ann of Sales',
  })
  expect(await carriedIn(undefined)).toEqual({ roles: ['user'], groups: ['all'], ...profile.attributes })
})

test('a text that names no organization is not asked about', async () => {
  const { organizations, asked } = organizationsOf({ 'user-1': [acme] })
  for (const text of ['', 'A', 'a b', 'a\0'])
    expect(await findMembership('user-1', text, organizations)).toBeUndefined()
  expect(asked).toEqual([])
})
