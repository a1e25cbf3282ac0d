import { checkLimit, type PageRequest } from '@gatehouse/kit/page'
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

/** Where in a list to go on, and how far. */
export const pageQuery = {
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
  limit: Type.Optional(Type.String({ description: 'How many items, from 1 to 200. By default 50.' })),
}

/** How many items a page has that does not say it. */
const defaultLimit = 50

/**
 * What a list is asked for.
 * @throws Refusal invalid_request
 */
export function pageRequest({ cursor = '', limit }: { cursor?: string; limit?: string }): PageRequest {
  const number = limit !== undefined && /^\d+$/.test(limit) ? Number(limit) : Number.NaN
  return { cursor, limit: limit === undefined ? defaultLimit : checkLimit(number) }
}

/**
 * A page of a list.
 * @param example one of its items
 */
export function pageSchema<Item extends TSchema>(item: Item, description: string, example: object) {
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
    { description, examples: [{ items: [example] }] },
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
