import { claimsShapes, resourceServerLimits } from '../resource-servers.ts'
import type { ClientField } from './client-field.ts'

/** The fields that decide where tokens of a client count, and which roles and organizations they have. They are a part of `clientFields`. */
export const authorityFields = {
  default_resource: {
    kind: 'text',
    maxLength: resourceServerLimits.identifier,
    resource: true,
    label: 'Default resource server',
    description:
      'The identifier of the resource server for which tokens are that the client asks for without `resource` (RFC 8707 section 2) and without the scope `openid`. For clients that cannot send `resource`; by default none. While no enabled resource server has this identifier, such requests are refused.',
    setBy: 'administrator',
  },
  roles: {
    kind: 'roles',
    maxItems: 100,
    label: 'Roles',
    description:
      'The roles that the client itself has: each with `resource`, the identifier of a resource server, and `role`, the name of one of its roles. They count for tokens without a user, at resource servers whose scopes roles give. A role that is deleted counts no more; it stays in the list until it is removed.',
    setBy: 'administrator',
    flags: '--role <resource=role>',
  },
  roles_of: {
    kind: 'text',
    maxLength: resourceServerLimits.identifier,
    resource: true,
    label: 'Roles in ID tokens',
    description:
      'The identifier of the resource server whose roles of a user the scope `roles` shows the client in ID tokens and at userinfo; by default none.',
    setBy: 'administrator',
  },
  claims_shape: {
    kind: 'choice',
    choices: claimsShapes,
    label: 'Shape of roles and groups',
    description:
      'How ID tokens and userinfo have roles and groups: as lists of texts in `roles` and `groups` (`flat`), or as Keycloak writes them (`keycloak`); by default `flat`.',
    setBy: 'administrator',
  },
  organizations: {
    kind: 'choice',
    choices: ['off', 'optional', 'required'],
    label: 'Organizations',
    description:
      'Whether users act in an organization when they log in to the client: never (`off`), if they want to (`optional`), or always (`required`); by default `off`. Then the same `sub` may come with several `org_id`: a client that knows organizations must keep its data by both.',
    setBy: 'administrator',
  },
  organization: {
    kind: 'text',
    maxLength: 40,
    organization: true,
    label: 'Organization',
    description:
      'The id of the organization that owns the client. Tokens that the client gets for itself have it as `org_id`, and there are none while it is disabled; by default none. It decides nothing about tokens of users.',
    setBy: 'administrator',
  },
} as const satisfies Record<string, ClientField>
