import { MemberRole } from '@gatehouse/proto/organization/v1'
import { expect, test } from 'vitest'
import { ann, browser, refusing } from '../../../testing/browser.ts'

const since = new Date('2029-01-02T03:04:05Z')
const [acme, globex, initech] = [1, 2, 3].map((digit) => `org_01980000-0000-7000-8000-00000000000${digit}`)
const consent = { clientId: 'client_a', clientName: 'Notes', scope: 'read', grantedAt: since }
const consents = [consent, { ...consent, organizationId: acme, organizationName: 'Acme & Co' }]
const holders = [acme, globex, initech].map((organizationId) => ({
  ...{ clientId: 'client_a', scope: 'read', grantedAt: since },
  organizationId,
}))
const membership = {
  ...{ organizationId: globex ?? '', slug: 'globex', name: 'Globex', role: MemberRole.MEMBER_ROLE_MEMBER },
  ...{ secondFactorRequired: false, attributes: undefined },
}
const services = {
  identity: { listConsents: async () => ({ consents }) },
  organizationService: { findMemberships: async () => ({ answers: [{ memberships: [membership] }] }) },
  tokens: { listTokenHolders: async () => ({ holders }) },
}

/** The organizations in the forms that withdraw, in order. */
const withdrawable = (page: string) =>
  page
    .split('action="/account/apps/withdraw"')
    .slice(1)
    .map((form) => /name="organization_id" value="([^"]*)"/.exec(form.split('</form>')[0] ?? '')?.[1])

test('an app is listed once for each organization, by its name, and withdrawn there alone', async () => {
  const { get, post, asked } = await browser(services, ann)
  const { text } = await get('/account')
  expect(withdrawable(text)).toEqual([undefined, acme, globex, initech])
  for (const name of ['Acme &amp; Co', 'Globex', initech])
    expect(text).toContain(`in the organization <bdi>${name}</bdi>`)
  expect(asked('findMemberships')).toEqual([{ questions: [{ userId: 'user-1' }] }])
  await post('/account/apps/withdraw', { client_id: 'client_a', organization_id: globex ?? '' })
  expect(asked('withdrawConsent')).toEqual([
    { userId: 'user-1', clientId: 'client_a', organizationId: globex },
  ])
})

test('nobody is asked for names that the consents have, and without an answer the id stands in for the name', async () => {
  const named = await browser(
    { ...services, tokens: { listTokenHolders: async () => ({ holders: [] }) } },
    ann,
  )
  expect(withdrawable((await named.get('/account')).text)).toEqual([undefined, acme])
  expect(named.asked('findMemberships')).toEqual([])
  const findMemberships = refusing('temporarily_unavailable')
  const { get } = await browser({ ...services, organizationService: { findMemberships } }, ann)
  const { status, text } = await get('/account')
  expect([status, text.includes(`in the organization <bdi>${globex}</bdi>`)]).toEqual([200, true])
})
