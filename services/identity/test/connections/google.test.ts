import { answerAt } from '@gatehouse/test/servers/social-stand-in'
import { expect, test } from 'vitest'
import { arrivalOf } from '../../src/connections/admission.ts'
import type { LoginConnection } from '../../src/connections/login-connection.ts'
import { useConnectionLogins } from './logging-in.ts'

const { standIn, begin, finish, loginDeps, ofOrganization, withAddress, linksOf } = useConnectionLogins()

test('an account of a company at Google makes a user, and a personal one with the same domain does not', async () => {
  const { connectionId, domain } = await ofOrganization({ kind: 'google', issuer: '' })
  standIn().register(`https://auth.example/auth/callback/${connectionId}`)
  const of = loginDeps({}, { OAUTH2_GOOGLE_ISSUER: standIn().issuer })
  const logIn = async (hd: unknown) => {
    withAddress(domain)
    standIn().tamper = (claims) => ({ ...claims, hd })
    const begun = await begin(connectionId, {}, of)
    const { search } = await answerAt(standIn(), begun.authorizationUrl)
    return finish(begun, search.slice(1), {}, of)
  }
  for (const hd of [undefined, '', true]) expect(await logIn(hd)).toMatchObject({ outcome: 'not invited' })
  expect(await linksOf(connectionId)).toEqual([])
  expect(await logIn(domain)).toMatchObject({ outcome: 'right', created: true })
})

test.each([
  ['https://accounts.google.com', undefined, undefined],
  ['https://accounts.google.com', 'acme.example', 'acme.example'],
  ['https://idp.example', undefined, 'acme.example'],
])('the domain of an address at the issuer %s with hd %s is %s', async (issuer, hd, domain) => {
  const connection = { kind: 'oidc', mapping: [], organizationId: undefined } as unknown as LoginConnection
  const claims = { email: 'ann@acme.example', email_verified: true, hd }
  const login = { methods: [], upstreamSession: undefined, authenticatedAt: undefined }
  const person = { issuer, subject: 'ann', name: 'ann', displayName: 'Ann', claims, ...login }
  const caller = { ipAddress: '192.0.2.7', userAgent: 'A browser' }
  const { address } = await arrivalOf(person, connection, caller, { findRoles: async () => [] })
  expect(address).toEqual({ email: 'ann@acme.example', domain })
})
