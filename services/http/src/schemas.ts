import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import type { Presence } from '@gatehouse/proto/profiles'
import { type TSchema, Type } from '@gatehouse/proto/typebox'

// An object's schema with a title becomes a named component of the OpenAPI document: see openapi/components.ts in the gateway. Any
// other title is the label of a field.

/** The body of every error (RFC 6749 section 5.2). */
export const errorBody = Type.Object(
  {
    error: Type.Enum(Object.keys(errorCatalogue) as ErrorCode[], {
      description: 'The error code, for programs.',
    }),
    error_description: Type.Optional(Type.String({ description: 'The error in words, for people.' })),
  },
  {
    title: 'OAuthError',
    examples: [{ error: 'invalid_request', error_description: errorCatalogue.invalid_request.description }],
  },
)

/**
 * The answers of a route, for its schema: its successful ones, its own errors, and the errors of every route.
 * @param good the answers that are not errors, by HTTP status
 * @param codes the error codes of this route
 */
export function answers<Good extends Record<number, TSchema>>(good: Good, ...codes: ErrorCode[]) {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set([...codes, ...everyRoute])) {
    const { httpStatus } = errorCatalogue[code]
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code])
  }
  const errors = [...byStatus].map(([status, codesOfStatus]) => [status, errorAnswer(codesOfStatus)])
  return { 415: encodedBody, ...Object.fromEntries(errors), ...good } as Good
}

const everyRoute: ErrorCode[] = [
  'invalid_request',
  'rate_limit_exceeded',
  'server_error',
  'temporarily_unavailable',
]

/** The answer to errors. The OpenAPI document derives its headers from the codes. */
function errorAnswer(codes: readonly ErrorCode[]) {
  const description = codes.map((code) => `\`${code}\`: ${errorCatalogue[code].description}`).join(' ')
  return { ...answerOf('application/json', description, errorBody), codes }
}

/** The answer to a body that is too large. */
export const tooLarge = answerOf(
  'application/json',
  '`invalid_request`: The body is larger than 64 KiB.',
  errorBody,
)

const encodedBody = answerOf(
  'application/json',
  '`invalid_request`: The request has a Content-Encoding.',
  errorBody,
)

/**
 * Marks rules that are in the OpenAPI document but are not validated here: a service refuses such values itself, with the
 * protocol's error code or a better description.
 * @param rules rules of JSON Schema
 */
export function unchecked(rules: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [uncheckedPrefix + name, rule]))
}

/** The prefix of unchecked rules' names. */
export const uncheckedPrefix = 'x-unchecked-'

/** The name under which operations and fields of the OpenAPI document say in which profiles they are by default. */
export const profilesExtension = 'x-gatehouse-profiles'

/** Says in a field's schema, and in its description, where the field is. */
export function onlyWhere({ profiles, sentence }: Presence, description?: string) {
  const texts = [description, sentence].filter((text) => text !== undefined)
  return { description: texts.join(' '), [profilesExtension]: profiles }
}

/** Marks the schema of a JSON body that may be left out. Its route gets an empty object then. */
export const optionalBody = { optionalBody: true }

/** A text that must be one of the values, as an unchecked rule. */
export function oneOf<Value extends string>(
  values: readonly Value[],
  options: { title?: string; description?: string; examples?: string[] } = {},
) {
  return Type.String({ ...options, ...unchecked({ enum: [...values] }) })
}

/** An answer of a media type. Fastify accepts this form of a schema, but TypeBox has no type for it. */
export function answerOf(mediaType: string, description: string, schema: TSchema = Type.String()) {
  return { description, content: { [mediaType]: { schema } } } as unknown as TSchema
}
