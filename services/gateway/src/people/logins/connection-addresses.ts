import { isConnectionId } from '@gatehouse/proto/connections'
import { returnPath } from '../pages/return-to.ts'

/** The page on which the domain of an address leads to the login of an organization. */
export const organizationAddressPage = '/auth/organization'

/** The page with the accounts elsewhere that are connected to one's own. */
export const connectionsPage = '/account/connections'

/**
 * The address at which a test of a connection begins.
 * @param back the path of the page that shows the connection
 */
export function testAddress(connectionId: string, back: string): string {
  return `/auth/login/${connectionId}?${new URLSearchParams({ test: 'yes', return_to: back })}`
}

/** The path to which the identity service thinks that a test returns, by which the answer to one is told from those to logins. */
export function begunTest(connectionId: string, back: string): string {
  return `${testAddress(connectionId, back)}${begunMark}`
}

const begunMark = '&begun=yes'

/** The page to which a test leads, by the path of `begunTest`; undefined for any other path. No login may have one. */
export function pageOfTest(path: string | undefined): string | undefined {
  const url = path === undefined ? null : URL.parse(path, 'http://ourselves.invalid')
  const [, id] = /^\/auth\/login\/([^/]+)$/.exec(url?.pathname ?? '') ?? []
  if (url === null || id === undefined || !isConnectionId(id)) return undefined
  const { searchParams: query } = url
  return query.get('begun') === 'yes' && query.get('test') === 'yes'
    ? (returnPath(query.get('return_to') ?? '') ?? '/account')
    : undefined
}
