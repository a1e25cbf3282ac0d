import { authenticationMethodRemarks, authenticationMethods } from '@gatehouse/proto/client-authentication'
import {
  type ClientField,
  type ClientFieldName,
  clientFieldEntries,
  fieldsIn,
  isOpenidField,
  schemaOf,
} from '@gatehouse/proto/client-metadata'
import type { Client, RegisterClientRequest } from '@gatehouse/proto/clientregistry/v1'
import { grantTypes } from '@gatehouse/proto/grants'
import { presentWith } from '@gatehouse/proto/profiles'
import { type Static, type TObject, type TSchema, Type } from '@gatehouse/proto/typebox'
import { oneOf, onlyWhere, unchecked } from './schemas.ts'

// A client's metadata document (RFC 7591 section 2) as JSON. Fields with columns of their own are declared here; all others
// follow from the table in proto/client-metadata.ts.

/** The metadata that a caller may send. The client registry validates the values. */
const sentFields = {
  client_name: Type.Optional(
    Type.String({ title: 'Name', description: 'The name for people; by default the client_id.' }),
  ),
  redirect_uris: Type.Optional(
    Type.Array(Type.String(), {
      title: 'Redirect URIs',
      description: 'Required for the grant `authorization_code`.',
    }),
  ),
  grant_types: Type.Optional(
    Type.Array(oneOf(grantTypes), {
      title: 'Grant types',
      description: 'The grants that the client may use; by default `authorization_code`.',
    }),
  ),
  scope: Type.Optional(Type.String({ title: 'Scope', description: 'Space-separated; by default `read`.' })),
}

/** How a new client authenticates. This cannot change later. */
export const authenticationMethodField = {
  token_endpoint_auth_method: Type.Optional(
    oneOf(authenticationMethods, {
      title: 'Authentication at the token endpoint',
      description: authenticationMethodRemarks,
    }),
  ),
}

/**
 * The metadata that a client may register with.
 * @param openid whether OpenID Connect is on
 */
export function registeredFields(openid: boolean) {
  const others = Object.entries(otherFields('anybody')).filter(
    ([name]) => openid || !isOpenidField(name as ClientFieldName),
  )
  return { ...sentFields, ...authenticationMethodField, ...Object.fromEntries(others) }
}

/** The metadata that administrators may set. */
export const administeredFields = { ...sentFields, ...otherFields('administrators') }

/** The metadata that administrators may change. Null removes an optional field. */
export const changedFields = { ...sentFields, ...otherFields('administrators', 'null too') }

/** The metadata of an existing client. */
export const documentFields = {
  client_id: Type.String(),
  client_name: Type.String(),
  redirect_uris: Type.Array(Type.String()),
  grant_types: Type.Array(oneOf(grantTypes)),
  scope: Type.String(),
  token_endpoint_auth_method: oneOf(authenticationMethods),
  ...otherFields('administrators'),
}

/** A client's metadata document. */
export function documentOf(client: Client) {
  return {
    client_id: client.clientId,
    client_name: client.clientName,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    scope: client.scope,
    token_endpoint_auth_method: client.tokenEndpointAuthMethod,
    ...client.metadata,
  }
}

type SentDocument = Partial<Static<TObject<ReturnType<typeof registeredFields>>>>

/** Turns the metadata document of a new client into a request to the client registry. */
export function registrationOf(document: SentDocument): RegisterClientRequest {
  return {
    clientName: document.client_name,
    redirectUris: document.redirect_uris ?? [],
    grantTypes: document.grant_types ?? [],
    scope: document.scope,
    tokenEndpointAuthMethod: document.token_endpoint_auth_method,
    metadata: fieldsIn(document),
  }
}

const ofOpenid = presentWith('OAUTH2_OPENID_ENABLED')

/**
 * The schemas of the table's fields that the author may set. They check only the kind of a value. Administrators may set the fields of
 * OpenID Connect wherever they are.
 */
function otherFields(author: ClientField['setBy'], nullToo?: 'null too'): Record<string, TSchema> {
  const settable = clientFieldEntries.filter(
    ([, { setBy }]) => author === 'administrators' || setBy === 'anybody',
  )
  return Object.fromEntries(
    settable.map(([name, field]) => {
      const { type, ...rules } = schemaOf(field)
      const types = nullToo ? [type, 'null'] : type
      const { label: title, description } = field
      const where = author === 'anybody' && isOpenidField(name) && onlyWhere(ofOpenid, description)
      const schema = Type.Unsafe({ type: types, ...unchecked(rules), title, description, ...where })
      return [name, Type.Optional(schema)]
    }),
  )
}
