import { expect, test, vi } from 'vitest'
import { createLoginOffers } from '../../../../src/people/logins/offers.ts'

test('made-up organizations push out their own kind, and never what every login page offers', async () => {
  const listOffers = vi.fn(async (_: { organizationId?: string | undefined }) => ({
    offers: [],
    byAddress: true,
  }))
  const offers = createLoginOffers({ listOffers }, true, () => 0)
  await offers()
  for (let made = 0; made < 1_500; made += 1) await offers(`org_${made}`)
  const asked = () => listOffers.mock.calls.length
  expect(asked()).toBe(1_501)
  await offers()
  await offers('org_1499')
  expect(asked()).toBe(1_501)
  // The oldest ones are forgotten.
  await offers('org_0')
  expect(asked()).toBe(1_502)
})
