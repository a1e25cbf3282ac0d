import { answers } from '@gatehouse/http/schemas'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type TSchema, Type } from '@gatehouse/proto/typebox'

/**
 * The answers of a route behind the guard.
 * @param good the answers that are not errors, by HTTP status
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

/** An answer without a body: 204. */
export function done(description: string) {
  return { 204: Type.Null({ description }) }
}

/** The schema of a time. */
export const moment = (description: string) => Type.String({ format: 'date-time', description })

/** The field of a change with the revision that the caller has read. @param what what is changed, such as `the group` */
export const revisionOf = (what: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: `The revision that the caller has read. If ${what} has another one by now, nothing is changed (\`outdated_revision\`).`,
    }),
  )

/** @throws Error when the service gave no time */
export function momentOf(time: Date | undefined): string {
  if (time === undefined) throw new Error('a service gave no time')
  return time.toISOString()
}
