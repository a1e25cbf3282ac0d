import { answerOf, unchecked } from '@gatehouse/http/schemas'
import { type TOptional, type TProperties, type TSchema, type TString, Type } from 'typebox'

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
  return Type.Object(properties, {
    additionalProperties: true,
    // What was read out of a form is text.
    ...unchecked({ additionalProperties: { type: 'string' } }),
    examples: [{ ...example, ...credentials }],
  })
}

/** An answer that is a page. */
export function html(description: string) {
  return answerOf('text/html', description)
}

/** An answer that sends a browser elsewhere. */
export function redirect(description: string) {
  return {
    description,
    headers: { Location: { type: 'string', format: 'uri-reference', description: 'Where to.' } },
    type: 'null',
  } as unknown as TSchema
}

/**
 * The schema of a page's form. Pages are for people and not described; what is missing is said in the page, not by the
 * schema.
 */
export function pageForm<Name extends string>(...names: Name[]) {
  const properties = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())]))
  return {
    hide: true,
    body: Type.Object(properties as Record<Name, TOptional<TString>>, { additionalProperties: true }),
  }
}

/** The two parameters by which a client may authenticate in a form. */
export const clientCredentialParameters = {
  client_id: optionalText('Unless HTTP Basic authentication is used.'),
  client_secret: optionalText('Unless HTTP Basic authentication is used.'),
}

/** Says in the OpenAPI document that a client may also authenticate by HTTP Basic. */
export const clientSecurity = [{ clientSecretBasic: [] }, {}]
