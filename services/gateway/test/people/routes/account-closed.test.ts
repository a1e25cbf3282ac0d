import { expect, test } from 'vitest'
import { ann, browser, locationOf, membersOnly, organizationLogin } from '../../../testing/browser.ts'
import { addressOf } from '../../openapi/route-table.ts'
import { services } from './own-organization.ts'

const { organizationId } = organizationLogin
/** The pages of one organization. They count the login themselves. */
const ofOneOrganization = '/account/organizations/:organizationId'
/** They answer everybody. */
const forEverybody = ['/account/organizations/join', '/account/deleted']

const { routes } = await browser({ organizations: true })
const below = routes
  .flatMap(({ method, url }) => [method].flat().map((one) => ({ method: one, url })))
  .filter(({ method, url }) => ['GET', 'POST'].includes(method) && /^\/(account|admin)(\/|$)/.test(url))
const closed = below.filter(({ url }) => !url.startsWith(ofOneOrganization) && !url.startsWith('/admin'))

const values = {
  organizationId,
  connectionId: organizationLogin.connectionId,
  ...{ link: 'x', id: '0190f0a0-0000-7000-8000-00000000000a' },
}

test('there are routes to try', () => {
  expect(closed.length).toBeGreaterThan(20)
  expect(closed.map(({ url }) => url)).toContain('/account/organizations')
})

const member = await browser(
  { organizations: true, identity: membersOnly, organizationService: services },
  ann,
)
const stranger = await browser({ organizations: true })

test.each(closed)(
  '$method $url is closed to a session whose logins count in one organization each',
  async ({ method, url }) => {
    member.calls.length = 0
    const address = addressOf(url, values)
    const ask = ({ get, post }: typeof member) =>
      method === 'GET' ? get(address) : post(address, { x: 'x' })
    const [theirs, anybodys] = [await ask(member), await ask(stranger)]
    // The answer is that to somebody who is not logged in.
    expect([theirs.status, theirs.headers.location]).toEqual([anybodys.status, anybodys.headers.location])
    if (!forEverybody.includes(url)) {
      expect([302, 303]).toContain(theirs.status)
      expect(locationOf(theirs)).toMatch(/^\/auth\/login\?|^\/account$/)
    }
    // No service did anything for them.
    const names = new Set(member.calls.map(({ name }) => name))
    expect([...names].filter((name) => name !== 'getSession')).toEqual([])
  },
)

test.each(below.filter(({ method, url }) => method === 'GET' && url.startsWith('/admin')))(
  '$method $url is closed to such a session',
  async ({ url }) => {
    expect([302, 401]).toContain((await member.get(addressOf(url, values))).status)
  },
)
