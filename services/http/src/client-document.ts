import { authenticationMethods, hasKeys } from '@gatehouse/proto/client-authentication'
import { type ClientColumns, columnsIn, documentIn } from '@gatehouse/proto/client-columns'
import {
  type ClientDecider,
  type ClientField,
  clientFieldEntries,
  isOfMethods,
} from '@gatehouse/proto/client-metadata'
import type { Client, RegisterClientRequest } from '@gatehouse/proto/clientregistry/v1'
import { grantTypes } from '@gatehouse/proto/grants'
import { presentWith, presentWithWord } from '@gatehouse/proto/profiles'
import { type TSchema, Type } from '@gatehouse/proto/typebox'
import { longestUrl } from '@gatehouse/proto/web-origins'
import { keySetSchema } from './key-set.ts'
import { oneOf, onlyWhere, unchecked } from './schemas.ts'

// A client's metadata document (RFC 7591 section 2) as JSON, from the table in proto/client-metadata.ts.

type Schemas = Record<string, TSchema>

const ofOpenid = presentWith('OAUTH2_OPENID_ENABLED')
const ofCertificates = presentWithWord('OAUTH2_CLIENT_AUTH_METHODS', 'tls_client_auth')
const ofKeys = presentWithWord('OAUTH2_CLIENT_AUTH_METHODS', ...authenticationMethods.filter(hasKeys))

/**
 * The metadata that a client may register with.
 * @param openid whether OpenID Connect is on
 * @param methods the methods of authentication that are on
 */
export function registeredFields(openid: boolean, methods: readonly string[]): Schemas {
  return sentFields('registration', (field) => (openid || !field.openid) && isOfMethods(field, methods))
}

const { token_endpoint_auth_method, first_party, ...others } = sentFields('administrator')

/** The metadata that administrators may set, in the order in which faults are named. */
export const administeredFields = { ...others, token_endpoint_auth_method, first_party } as Schemas

/** The metadata that administrators may change. Null removes a field that need not have a value. */
export const changedFields = sentFields('administrator', ({ fixed }) => !fixed, 'null too')

/** The metadata of an existing client. */
export const documentFields: Schemas & { client_id: TSchema } = {
  client_id: Type.String(),
  ...schemasOf(
    ({ hidden }) => !hidden,
    (field) => (field.column ? Type.Unsafe(schemaOf(field)) : Type.Optional(inWords(field))),
  ),
}

/** A client's metadata document. */
export function documentOf(client: Client) {
  return { client_id: client.clientId, ...documentIn(client as ClientColumns) }
}

/** Turns the metadata document of a new client, which its schema has checked, into a request to the client registry. */
export function registrationOf(
  document: Readonly<Record<string, unknown>>,
): RegisterClientRequest & Pick<Partial<ClientColumns>, 'firstParty'> {
  return { redirectUris: [], grantTypes: [], ...columnsIn(document) }
}

/** The schemas of the fields that a party may set, anybody who registers or an administrator. They check only the kind of a value. */
function sentFields(
  by: ClientDecider,
  isMeant: (field: ClientField) => boolean = () => true,
  nullToo?: 'null too',
): Schemas {
  const schema = (field: ClientField) => {
    const words = inWords(field, nullToo && !field.column)
    // Administrators may set these fields wherever they are.
    const presence = field.openid ? ofOpenid : field.certificate ? ofCertificates : field.keys && ofKeys
    const where = by === 'registration' && presence && onlyWhere(presence, field.description)
    return Type.Optional(Type.Unsafe({ ...words, ...where }))
  }
  return schemasOf((field) => (by === 'administrator' || field.setBy === by) && isMeant(field), schema)
}

function schemasOf(
  isMeant: (field: ClientField) => boolean,
  schema: (field: ClientField) => TSchema,
): Schemas {
  const meant = clientFieldEntries.filter(([, field]) => isMeant(field))
  return Object.fromEntries(meant.map(([name, field]) => [name, schema(field)]))
}

function inWords(field: ClientField, nullToo = false): TSchema {
  const { type, ...rules } = schemaOf(field)
  const { label: title, description } = field
  return Type.Unsafe({ type: nullToo ? [type, 'null'] : type, ...rules, title, description })
}

/** The JSON Schema of a field's value. An empty text or list counts as absent, so it has no least length. */
function schemaOf(field: ClientField) {
  switch (field.kind) {
    case 'name':
    case 'scope':
      return { type: 'string' }
    case 'text':
      return { type: 'string', ...unchecked({ maxLength: field.maxLength }) }
    case 'texts': {
      const items = { type: 'string', minLength: 1, maxLength: field.maxLength }
      return { type: 'array', ...unchecked({ maxItems: field.maxItems, items }) }
    }
    case 'roles': {
      const text = { type: 'string', minLength: 1 }
      const items = {
        ...{ type: 'object', properties: { resource: text, role: text } },
        ...{ required: ['resource', 'role'], additionalProperties: false },
      }
      return { type: 'array', ...unchecked({ maxItems: field.maxItems, items }) }
    }
    case 'keys':
      return keySetSchema(field.maxItems)
    case 'url':
      return { type: 'string', ...unchecked({ format: 'uri', maxLength: longestUrl }) }
    case 'urls':
      return {
        type: 'array',
        ...unchecked({ maxItems: field.maxItems, items: { type: 'string', minLength: 1 } }),
      }
    case 'redirects':
      return { type: 'array', items: Type.String() }
    case 'grants':
      return { type: 'array', items: oneOf(grantTypes) }
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', ...unchecked({ enum: [...field.choices] }) }
    case 'integer':
      return { type: 'integer', ...unchecked({ minimum: field.minimum, maximum: field.maximum }) }
  }
}
