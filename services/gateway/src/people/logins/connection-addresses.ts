import { isConnectionId } from '@gatehouse/proto/connections'
import { returnPath } from '../pages/return-to.ts'

/** The page on which the domain of an address leads to the login of an organization. */
export const organizationAddressPage = '/auth/organization'

/** The page with the accounts elsewhere that are connected to one's own. */
export const connectionsPage = '/account/connections'

/**
 * The address at which a test of a connection begins. It is also the path to which the identity service thinks that the test returns, so
 * that an answer of the provider that is about no login can be told from those that are.
 * @param back the path of the page that shows the connection
 */
export function testAddress(connectionId: string, back: string): string {
  return `/auth/login/${connectionId}?${new URLSearchParams({ test: 'yes', return_to: back })}`
}

/** The page to which the test leads that began at a path; undefined for a path at which none begins. */
export function pageOfTest(path: string | undefined): string | undefined {
  const url = path === undefined ? null : URL.parse(path, 'http://ourselves.invalid')
  const [, id] = /^\/auth\/login\/([^/]+)$/.exec(url?.pathname ?? '') ?? []
  if (url === null || id === undefined || !isConnectionId(id)) return undefined
  const { searchParams: query } = url
  return query.get('test') === 'yes' ? (returnPath(query.get('return_to') ?? '') ?? '/account') : undefined
}
