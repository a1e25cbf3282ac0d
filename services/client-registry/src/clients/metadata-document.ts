import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import {
  type ClientField,
  type ClientFieldName,
  type ClientMetadata,
  clientFieldEntries,
  fieldsIn,
  isOpenidField,
} from '@gatehouse/proto/client-metadata'
import { faultOf, type SharedRules } from './client-field.ts'
import { redirectUriFault } from './redirect-uri.ts'

/** The author of a field. */
export type MetadataAuthor = ClientField['setBy']

/** Fields of a metadata document as they were sent; null, or an empty text or list, removes a field. */
export type SentMetadata = Readonly<Record<string, unknown>> | undefined

/**
 * Applies the sent fields to a metadata document. Unknown fields, and those that the author may not set, are ignored (RFC
 * 7591 section 2).
 * @param document the current document
 * @param openid whether the fields of OpenID Connect are known
 * @returns the document in the order of the table, without fields that are not set
 * @throws Refusal invalid_request, which names the field
 */
export function changeMetadata(
  document: ClientMetadata,
  sent: SentMetadata,
  author: MetadataAuthor,
  openid = true,
): ClientMetadata {
  const changed = clientFieldEntries.map(([name, field]): [ClientFieldName, unknown] => {
    const value = sent?.[name]
    const settable =
      (author === 'administrators' || field.setBy === 'anybody') && (openid || !isOpenidField(name))
    if (value === undefined || !settable) return [name, document[name]]
    return [name, isEmpty(value) ? undefined : checked(name, field, value)]
  })
  return fieldsIn(Object.fromEntries(changed))
}

/**
 * Like `changeMetadata`, but a field that the author may set and did not send is removed (RFC 7592 section 2.2).
 * @throws Refusal invalid_request, which names the field
 */
export function replaceMetadata(
  document: ClientMetadata,
  sent: SentMetadata,
  author: MetadataAuthor,
  openid = true,
): ClientMetadata {
  const replacements = clientFieldEntries.map(([name]) => [name, sent?.[name] ?? null])
  return changeMetadata(document, Object.fromEntries(replacements), author, openid)
}

/** Whether a value counts as absent. */
function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

const rules: SharedRules = {
  textFault: visibleTextFault,
  redirectUriFault: (uri) => redirectUriFault(uri, { bareSchemes: false }),
}

/** @throws Refusal invalid_request */
function checked(name: ClientFieldName, field: ClientField, value: unknown): unknown {
  const fault = faultOf(field, value, rules)
  if (fault !== undefined) throw new Refusal('invalid_request', `${name} ${fault}.`)
  return value
}

/** Reads a stored document: in the order of the table, and without fields that no longer exist. */
export function metadataOf(stored: unknown): ClientMetadata {
  return fieldsIn(Object(stored))
}
