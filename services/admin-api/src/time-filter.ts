import { Refusal } from '@gatehouse/kit/errors'
import { isMoment } from '@gatehouse/kit/formats'
import { Type } from '@gatehouse/proto/typebox'

const time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

/** The time filters of a log: from a moment on, and before another. */
export const timeFilters = {
  since: time('Only from this time on (RFC 3339).'),
  until: time('Only before this time (RFC 3339).'),
}

/**
 * Reads a time from a query (RFC 3339).
 * @param name the parameter's name
 * @returns undefined when the parameter is absent
 * @throws Refusal invalid_request
 */
export function readMoment(text: string | undefined, name: string): Date | undefined {
  if (text === undefined) return undefined
  if (!isMoment(text))
    throw new Refusal('invalid_request', `${name} must be a time such as 2026-01-01T00:00:00Z.`)
  return new Date(text)
}

/** Reads the values of `timeFilters`. @throws Refusal invalid_request */
export function readTimes({ since, until }: { since?: string; until?: string }) {
  return { since: readMoment(since, 'since'), until: readMoment(until, 'until') }
}
