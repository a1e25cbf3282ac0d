import { isConnectionId } from '@gatehouse/proto/connections'
import { flowAt, pathWithReturn, returnPath } from '../pages/return-to.ts'

/** The page on which the domain of an address leads to the login of an organization. */
export const organizationAddressPage = '/auth/organization'

/** The page with the accounts elsewhere that are connected to one's own. */
export const connectionsPage = '/account/connections'

/**
 * The path of the page that asks whether to connect an account.
 * @param returnTo where they go on afterwards; only a waiting authorization request counts, so that the pages lead nowhere else
 */
export function connectPage(connectionId: string, returnTo: string | undefined): string {
  return pathWithReturn(`${connectionsPage}/${connectionId}`, onlyWaiting(returnTo))
}

/** The path of the page with the connected accounts. @param returnTo as for `connectPage` */
export function connectedPage(returnTo: string | undefined): string {
  return pathWithReturn(connectionsPage, onlyWaiting(returnTo))
}

/** The path at which a waiting authorization request continues after a page of connected accounts; undefined for any other page. */
export function waitingAfter(page: string | undefined): string | undefined {
  const url = page === undefined ? null : URL.parse(page, 'http://ourselves.invalid')
  if (url === null || !`${url.pathname}/`.startsWith(`${connectionsPage}/`)) return undefined
  return onlyWaiting(returnPath(url.searchParams.get('return_to') ?? undefined))
}

function onlyWaiting(path: string | undefined): string | undefined {
  return flowAt(path) === undefined ? undefined : path
}

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
