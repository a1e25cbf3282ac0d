import { Refusal } from '@gatehouse/kit/errors'

/** A JSON object. */
export type JsonObject = Record<string, unknown>

/** Reads a field that a sender sent. Throws a Refusal invalid_request that names the field when its value is invalid. */
export type FieldReader<Value> = (value: unknown, name: string) => Value

/** Reads a field that may be absent or null. */
export function optional<Value>(value: unknown, name: string, read: FieldReader<Value>): Value | undefined {
  return value === undefined || value === null ? undefined : read(value, name)
}

/** Reads a JSON object. */
export const object: FieldReader<JsonObject> = (value, name) => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject
  throw new Refusal('invalid_request', `${name} must be a JSON object.`)
}

/**
 * Reads a text without control characters, which the headers of engines cannot carry.
 * @param longest the most UTF-16 code units
 */
export const text =
  (longest: number): FieldReader<string> =>
  (value, name) => {
    if (typeof value === 'string' && value !== '' && value.length <= longest && !unfit.test(value))
      return value
    throw new Refusal(
      'invalid_request',
      `${name} must be a text of 1 to ${longest} characters, without control characters.`,
    )
  }

const unfit = /[\p{Cc}\p{Cs}]/u
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Reads a time (RFC 3339) and keeps its text. */
export const time: FieldReader<string> = (value, name) => {
  if (
    typeof value === 'string' &&
    value.length <= 40 &&
    rfc3339.test(value) &&
    !Number.isNaN(Date.parse(value))
  )
    return value
  throw new Refusal('invalid_request', `${name} must be a time such as 2026-01-01T00:00:00Z.`)
}

/** How deeply a sender's value may be nested: the value is the first level, the values in it the second. */
const deepest = 64

/** Reads any JSON value that is nested at most 64 levels deep, so that recursion can process it. */
export const shallow: FieldReader<unknown> = (value, name) => {
  if (!isDeeper(value, deepest)) return value
  throw new Refusal('invalid_request', `${name} must not be nested more than ${deepest} levels deep.`)
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}

/** Reads an object of texts, numbers and booleans, all of which become texts. */
export const record: FieldReader<Record<string, string>> = (value, name) => {
  const entries = Object.entries(object(value, name))
  const scalar = entries.find(([, one]) => !['string', 'number', 'boolean'].includes(typeof one))
  if (scalar) throw new Refusal('invalid_request', `${name}: ${scalar[0].slice(0, 60)} must be a text.`)
  return Object.fromEntries(entries.map(([key, one]) => [key, String(one)]))
}
