import { administratorOf } from '@gatehouse/admin-api/administrator'
import { type Form, parseForm, queryOf } from '@gatehouse/http/form'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Pages, sendPage } from '../../pages.ts'
import { sectionsFor } from '../page-scope.ts'
import type { AdminPage, AdminPages } from './contents.ts'

/** The message of the page after the redirect, by what was done. */
const done: Readonly<Record<string, string>> = {
  'client-added': 'Client created.',
  'client-changed': 'Client updated.',
  'client-enabled': 'The client is enabled.',
  'client-disabled': 'Client disabled. Its tokens are revoked.',
  'client-deleted': 'Client deleted. Its tokens are revoked.',
  'resource-added': 'Resource server created.',
  'resource-changed': 'Resource server updated.',
  'resource-enabled': 'The resource server is enabled.',
  'resource-disabled': 'Resource server disabled. Its tokens are revoked.',
  'resource-deleted': 'Resource server deleted. Its tokens are revoked.',
  'tokens-ended': 'All tokens are revoked.',
  'token-ended': 'Token revoked.',
  'user-added': 'User created.',
  'user-changed': 'User updated.',
  'user-enabled': 'User enabled.',
  'user-disabled': 'User disabled. Sessions have ended and tokens are revoked.',
  'role-changed': 'Role changed. It counts at once.',
  'user-deleted': 'User deleted. Sessions and consents have ended and tokens are revoked.',
  'sessions-ended': 'The user is logged out.',
  'factors-reset': 'Removed. The user is logged out everywhere.',
  'mail-retried': 'The mail will be sent.',
  'mail-sent': 'A mail with a link is on its way to the user.',
  'password-set': 'Password changed. Sessions have ended and tokens are revoked.',
  'key-rotated': 'New tokens are signed with the new key. Existing tokens stay valid.',
  'key-staged':
    'A new key is published. It signs as soon as every verifier has fetched it. Existing tokens stay valid.',
  'keys-withdrawn':
    'The earlier keys are withdrawn, and their tokens are invalid. New tokens are signed with a new key.',
}

const time = (date: Date | undefined) =>
  date === undefined ? '–' : `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Pages are for people, so they are not in the OpenAPI document. */
export const pageSchema = { hide: true } as const

/** The parameters of a request's query, each at most once. */
export function queryFrom(request: FastifyRequest): Form {
  return parseForm(queryOf(request.url))
}

/** Answers with one of the pages for administrators. */
export function sendAdminPage<Name extends keyof AdminPages>(
  request: FastifyRequest,
  reply: FastifyReply,
  name: Name,
  content: Omit<AdminPages[Name], keyof AdminPage>,
): FastifyReply {
  const administrator = administratorOf(request)
  const what = new URLSearchParams(queryOf(request.url)).get('done') ?? ''
  const page: AdminPage = {
    user: { username: administrator.actor.name, admin: true },
    sections: sectionsFor(administrator),
    message: Object.hasOwn(done, what) ? done[what] : undefined,
    time,
  }
  return sendPage(reply, name, { ...content, ...page } as Pages[Name], {
    scripts: true,
    // Its script asks the API for what the plots show.
    asks: name === 'admin/dashboard',
  })
}

/** Redirects the browser to a page that says what was done. */
export function afterwards(reply: FastifyReply, path: string, what: keyof typeof done): FastifyReply {
  return reply.redirect(`${path}${path.includes('?') ? '&' : '?'}done=${what}`, 303)
}

/**
 * The addresses of a list's next and first page.
 * @param path the path of the list, without a query
 * @param filter the parameters that the list is limited to
 */
export function pagesOf(path: string, filter: Form, cursor: string | undefined, nextCursor: string) {
  const query = new URLSearchParams(filter)
  const first = cursor ? withQuery(path, query) : ''
  if (nextCursor === '') return { next: '', first }
  query.set('cursor', nextCursor)
  return { next: withQuery(path, query), first }
}

function withQuery(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query}`
}

/** How many items a page of a list has. */
export const pageSize = 50
