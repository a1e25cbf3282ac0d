import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { type TOptional, type TProperties, type TSchema, type TString, Type } from 'typebox'

/** The body of every error (RFC 6749 section 5.2). */
export const errorBody = Type.Object(
  {
    error: Type.String({ description: 'What went wrong, for programs.' }),
    error_description: Type.Optional(Type.String({ description: 'What went wrong, for people.' })),
  },
  { $id: 'Error', title: 'Error' },
)

/**
 * The answers of a route, for its schema: the good ones, the errors that it can give, and those that every route can.
 * @param good the answers that are no errors, by HTTP status
 * @param codes the error codes of this route
 */
export function answers<Good extends Record<number, TSchema>>(good: Good, ...codes: ErrorCode[]) {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set([...codes, ...everyRoute])) {
    const { httpStatus } = errorCatalogue[code]
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code])
  }
  const errors = [...byStatus].map(([status, codesOfStatus]) => [
    status,
    {
      description: codesOfStatus.map((code) => `\`${code}\`: ${errorCatalogue[code].description}`).join(' '),
      content: {
        'application/json': {
          schema: errorBody,
          examples: Object.fromEntries(codesOfStatus.map((code) => [code, { value: exampleOf(code) }])),
        },
      },
    },
  ])
  return { ...Object.fromEntries(errors), ...good } as Good
}

/** The answer to a body that is larger than is read. */
export const tooLarge = answerOf(
  'application/json',
  '`invalid_request`: The body is larger than 64 KiB.',
  errorBody,
)

const everyRoute: ErrorCode[] = ['rate_limit_exceeded', 'server_error']

function exampleOf(code: ErrorCode) {
  const { description } = errorCatalogue[code]
  // The one answer that the interface gives without a description.
  return code === 'eventing_disabled' ? { error: code } : { error: code, error_description: description }
}

/**
 * A parameter of a form that need not be sent. The empty example keeps the API page from sending the word "string" for
 * it; a parameter without a value counts as not sent (RFC 6749 section 3.2).
 */
export function optionalText(description: string) {
  return Type.Optional(Type.String({ description, examples: [''] }))
}

/**
 * The body of a form: every parameter is text, and those that a route does not know are ignored.
 * @param example what a caller may send, besides credentials
 */
export function form<Properties extends TProperties>(
  properties: Properties,
  example: Record<string, string>,
) {
  const credentials = { client_id: '<CLIENT_ID>', client_secret: '<CLIENT_SECRET>' }
  return Type.Object(properties, { additionalProperties: true, examples: [{ ...example, ...credentials }] })
}

/** An answer of a media type. Fastify takes answers that are said so, of which TypeBox's types know nothing. */
export function answerOf(mediaType: string, description: string, schema: TSchema = Type.String()) {
  return { description, content: { [mediaType]: { schema } } } as unknown as TSchema
}

/** An answer that is a page. */
export function html(description: string) {
  return answerOf('text/html', description)
}

/** An answer that sends a browser elsewhere. */
export function redirect(description: string) {
  return {
    description,
    headers: { Location: { type: 'string', description: 'Where to.' } },
    type: 'null',
  } as unknown as TSchema
}

/**
 * The body of a form on one of our own pages: what is missing is said in the page, not by the schema.
 * @param parameters each with its description
 */
export function pageForm<Name extends string>(parameters: Record<Name, string>) {
  const properties = Object.entries<string>(parameters).map(([name, description]) => [
    name,
    optionalText(description),
  ])
  return Type.Object(Object.fromEntries(properties) as Record<Name, TOptional<TString>>, {
    additionalProperties: true,
  })
}

/** The two parameters by which a client may authenticate in a form. */
export const clientCredentialParameters = {
  client_id: optionalText('Unless HTTP Basic authentication is used.'),
  client_secret: optionalText('Unless HTTP Basic authentication is used.'),
}

/** Says in the OpenAPI document that a client may also authenticate by HTTP Basic. */
export const clientSecurity = [{ clientSecretBasic: [] }, {}]
