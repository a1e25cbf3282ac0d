import { Refusal } from '@gatehouse/kit/errors'
import { isMoment } from '@gatehouse/kit/formats'
import { Type } from '@gatehouse/proto/typebox'
import { Check } from '@gatehouse/proto/typebox/value'

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

const uriReference = Type.String({ format: 'uri-reference' })

/**
 * Reads the source of an event: a URI reference (RFC 3986), as CloudEvents 1.0 section 3.1.1 demands. Consumers' libraries refuse an
 * event with any other.
 * @param longest the most UTF-16 code units
 */
export const source =
  (longest: number): FieldReader<string> =>
  (value, name) => {
    const reference = text(longest)(value, name)
    if (Check(uriReference, reference)) return reference
    throw new Refusal(
      'invalid_request',
      `${name} must be a URI or a relative reference, such as https://shop.example/orders or /orders.`,
    )
  }

const unfit = /[\p{Cc}\p{Cs}]/u

/** Reads a time (RFC 3339) and keeps its text. */
export const time: FieldReader<string> = (value, name) => {
  if (typeof value === 'string' && value.length <= 40 && isMoment(value)) return value
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
