import { answerOf, onlyWhere, unchecked } from '@gatehouse/http/schemas'
import {
  authenticationParameters,
  authenticationSchemes,
  methodsWithParameter,
} from '@gatehouse/proto/client-authentication'
import { presentWith, presentWithWord, profileNames } from '@gatehouse/proto/profiles'
import { type TOptional, type TProperties, type TSchema, type TString, Type } from '@gatehouse/proto/typebox'

/**
 * An optional parameter of a form. The empty example keeps the API page from sending the word "string"; a parameter
 * without a value counts as omitted (RFC 6749 section 3.2).
 */
export function optionalText(description: string) {
  return Type.Optional(Type.String({ description, examples: [''] }))
}

/** The parameter `resource` (RFC 8707), which may be repeated. It is an array for callers only: a parsed form contains only texts. */
export function resourceParameter(description: string) {
  // Without the example, the page to try it out would fill one in.
  const rules = unchecked({ type: 'array', items: { type: 'string', format: 'uri' }, example: [] })
  const presence = presentWith('OAUTH2_RESOURCE_INDICATORS', 'registered')
  const text = `${description} It may be repeated (RFC 8707).`
  return Type.Optional(Type.Unsafe<string>({ ...rules, ...onlyWhere(presence, text) }))
}

/**
 * The body of a form. Every parameter is text, and unknown parameters are ignored.
 * @param example the parameters of an example, besides credentials
 */
export function form<Properties extends TProperties>(
  properties: Properties,
  example: Record<string, string>,
) {
  const credentials = { client_id: '<CLIENT_ID>', client_secret: '<CLIENT_SECRET>' }
  return Type.Object(properties, {
    additionalProperties: true,
    // Not checked: a parsed form contains only texts.
    ...unchecked({ additionalProperties: { type: 'string' } }),
    examples: [{ ...example, ...credentials }],
  })
}

/** An answer that is a page. */
export function html(description: string) {
  return answerOf('text/html', description)
}

/** An answer that redirects a browser. */
export function redirect(description: string) {
  return {
    description,
    headers: { Location: { type: 'string', format: 'uri-reference', description: 'The destination.' } },
    type: 'null',
  } as unknown as TSchema
}

/**
 * The schema of a page's form. Pages are for people and not part of the OpenAPI document. All fields are optional, because
 * the page says what is missing, not the schema.
 */
export function pageForm<Name extends string>(...names: Name[]) {
  const properties = Object.fromEntries(names.map((name) => [name, Type.Optional(Type.String())]))
  return {
    hide: true,
    body: Type.Object(properties as Record<Name, TOptional<TString>>, { additionalProperties: true }),
  }
}

/** The parameters with which a client may authenticate in a form. */
export const clientCredentialParameters: Record<string, TOptional<TString>> = Object.fromEntries(
  Object.entries(authenticationParameters).map(([name, description]) => [
    name,
    Type.Optional(Type.String({ description, ...presenceOf(name, description), examples: [''] })),
  ]),
)

/** Where a parameter counts, if its methods are not on in every profile. */
function presenceOf(parameter: string, description: string) {
  const methods = methodsWithParameter(parameter)
  const presence = presentWithWord('OAUTH2_CLIENT_AUTH_METHODS', ...methods)
  const isEverywhere = methods.length === 0 || presence.profiles.length === profileNames.length
  return isEverywhere ? {} : onlyWhere(presence, description)
}

/** Says in the OpenAPI document how else a client may authenticate. */
export const clientSecurity = [...authenticationSchemes.map(({ name }) => ({ [name]: [] })), {}]
