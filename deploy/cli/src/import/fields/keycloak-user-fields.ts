import { userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import { type FieldTable, kept } from './fields.ts'

const roles = { means: 'roles do not come along.' }
const wallet = { means: 'verifiable credentials do not come along.' }

/** The fields of a user in Keycloak (UserRepresentation). */
export const keycloakUserFields: FieldTable = {
  ...Object.fromEntries(
    userAttributeEntries.flatMap(([, { keycloak }]) => (keycloak ? [[keycloak, 'kept' as const]] : [])),
  ),
  ...kept('a text', 'id', 'username', 'firstName', 'lastName', 'email', 'serviceAccountClientId'),
  ...kept('true or false', 'emailVerified', 'enabled', 'totp'),
  ...kept('a number', 'createdTimestamp'),
  ...kept('a list of objects', 'credentials', 'federatedIdentities', 'socialLinks'),
  ...kept('a list of texts', 'requiredActions', 'realmRoles', 'groups'),
  ...kept('an object', 'attributes', 'clientRoles', 'applicationRoles'),
  ...Object.fromEntries(
    ['self', 'origin', 'access', 'disableableCredentialTypes', 'userProfileMetadata'].map((name) => [
      name,
      'unneeded' as const,
    ]),
  ),
  federationLink: {
    means:
      'the user came from a federation such as LDAP, which is not asked here: they set a password by mail.',
  },
  clientConsents: { means: 'consents do not come along: users are asked again.' },
  notBefore: { means: 'no token from before comes along, so none is valid.' },
  verifiableCredentials: wallet,
  issuedVerifiableCredentials: wallet,
  roles,
}

/** The fields of a password in Keycloak (CredentialRepresentation). */
export const keycloakPasswordFields: FieldTable = {
  ...Object.fromEntries(
    [
      ...['type', 'secretData', 'credentialData', 'value', 'temporary', 'hashedSaltedValue', 'salt'],
      ...['hashIterations', 'algorithm'],
    ].map((name) => [name, 'kept' as const]),
  ),
  ...Object.fromEntries(
    ['id', 'userLabel', 'createdDate', 'priority', 'counter', 'digits', 'period', 'device', 'config'].map(
      (name) => [name, 'unneeded' as const],
    ),
  ),
  federationLink: { means: 'the federation is not asked here.' },
}

/** Roles that each user of a realm has. */
export const rolesOfEverybody = /^(default-roles-.*|offline_access|uma_authorization)$/

/** Clients of Keycloak itself, whose roles mean nothing here. */
export const ownClients = new Set(['account'])
