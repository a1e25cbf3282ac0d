import { mostItems, type PageRequest } from '@gatehouse/kit/page'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type TSchema, Type } from 'typebox'
import { answers } from '../schemas.ts'

/** Says in the OpenAPI document who may come in. */
export const adminSecurity = [{ adminSession: [] }, { adminToken: [] }]

/**
 * The answers of a route behind the guard.
 * @param good the answers that are no errors, by HTTP status
 * @param codes the error codes of this route, besides the guard's
 */
export function adminAnswers<Good extends Record<number, TSchema>>(good: Good, ...codes: ErrorCode[]) {
  return answers(
    good,
    ...codes,
    'invalid_request',
    'login_required',
    'invalid_token',
    'insufficient_scope',
    'access_denied',
    'temporarily_unavailable',
  )
}

/** An answer that says nothing but that it is done. */
export function done(description: string) {
  return { 204: Type.Null({ description }) }
}

/** How many items a page has that does not say it. */
const defaultLimit = 50

/** Where in a list to go on, and how far. */
export const pageQuery = {
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: mostItems, default: defaultLimit, description: 'How many items.' }),
  ),
}

/** What a list is asked for. */
export function pageRequest({
  cursor = '',
  limit = defaultLimit,
}: {
  cursor?: string
  limit?: number
}): PageRequest {
  return { cursor, limit }
}

/**
 * A page of a list.
 * @param example one of its items
 */
export function pageSchema<Item extends TSchema & { title?: string }>(
  item: Item,
  description: string,
  example: object,
) {
  return Type.Object(
    {
      items: Type.Array(item),
      next_cursor: Type.Optional(
        Type.String({ description: 'For the next page. Absent: this is the last.' }),
      ),
      total: Type.Optional(
        Type.Integer({ description: 'How many there are in all, whatever was searched.' }),
      ),
    },
    { title: `${item.title}List`, description, examples: [{ items: [example] }] },
  )
}

/** A page of a list, in JSON. */
export function pageBody<Item>(items: Item[], nextCursor: string, total?: bigint) {
  return {
    items,
    ...(nextCursor !== '' && { next_cursor: nextCursor }),
    ...(total !== undefined && { total: Number(total) }),
  }
}

/** A moment, in JSON. */
export const moment = (description: string) => Type.String({ format: 'date-time', description })

/** @throws Error where a service left out what it always says */
export function momentOf(time: Date | undefined): string {
  if (time === undefined) throw new Error('a service gave no time')
  return time.toISOString()
}
