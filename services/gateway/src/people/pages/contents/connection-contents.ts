import type { ConnectionKind } from '@gatehouse/proto/connections'
import type { Texts } from '../../texts/table.ts'
import type { PageUser } from '../page-user.ts'
import type { InOrganization } from './in-organization.ts'

/** The values in the form of a connection, but its secret. */
export type ConnectionValues = {
  kind: ConnectionKind
  name: string
  issuer: string
  client_id: string
  client_authentication: string
  scope: string
  acr_values: string
  /** One a line. */
  tenants: string
  new_users: string
  domains: readonly string[]
  trusts_second_factor: boolean
  on_login_page: boolean
}

/** The fields that connections of some kinds have, and others have not. */
export type FieldOfKind = 'issuer' | 'client_authentication' | 'scope' | 'acr_values' | 'tenants'

/** The form of a connection. */
export type ConnectionForm = {
  /** Whether there is no such connection yet. */
  isNew: boolean
  /** Whether somebody typed a secret that was not stored: no page repeats it. */
  secretGone: boolean
  values: ConnectionValues
  /** The fields that its kind has besides those that all have. */
  has: readonly FieldOfKind[]
  newUsers: { rule: string; text: string }[]
  /** Each with the name of its check box, and a remark on its state. */
  domains: { domain: string; box: string; chosen: boolean; isProven: boolean; remark: string }[]
}

/** The values in the form for a new rule. The target is `attribute`, `group:` and a name, or `role:` and the key of a role. */
export type RuleValues = { claim: string; value: string; target: string; attribute: string }

/** The content of each page about connections of organizations. */
export type ConnectionPages = {
  'organizations/connections': InOrganization & {
    connections: { href: string; name: string; issuer: string; isActive: boolean; links: string }[]
    next: string | undefined
    first: string | undefined
  }
  'organizations/connection-kinds': InOrganization & {
    kinds: { href: string; title: string; hint: string }[]
  }
  'organizations/connection-new': InOrganization & {
    /** The name of its kind. */
    kind: string
    form: ConnectionForm
  }
  'organizations/connection': InOrganization & {
    /** The path of this page. */
    own: string
    name: string
    kind: string
    isActive: boolean
    /** The number of links, and of those that lead to nobody; undefined where none does. */
    links: string
    orphaned: string | undefined
    addresses: { redirect: string; keys: string | undefined; logout: string | undefined }
    test: string
    /** The number of rules of the mapping. */
    rules: string
    revision: string
    form: ConnectionForm
  }
  'organizations/connection-mapping': InOrganization & {
    own: string
    /** The name of the connection. */
    name: string
    revision: string
    rules: {
      claim: string
      value: string | undefined
      /** The words for what somebody gets, around its names. */
      target: (...names: never[]) => string
      names: string[]
      /** Why the rule gives nothing any more. */
      fault: string | undefined
      /** Why a change was refused, if this rule is the reason. */
      problem: string | undefined
    }[]
    values: RuleValues
    groups: { name: string; target: string }[]
    roles: { name: string; target: string }[]
  }
  'organizations/login-test': {
    user: PageUser | undefined
    /** The name of the connection. */
    connection: string
    /** The page of the connection, and the address at which it is tried again. */
    back: string
    again: string
    /** Why the person could not log in; undefined if they could. */
    problem: keyof Texts['loginTest']['problems'] | undefined
    /** The reason as the log has it, in English. */
    detail: string | undefined
    /** Undefined where the provider said nothing that counts. */
    result:
      | {
          created: boolean
          /** The name of the user who would be logged in. */
          username: string | undefined
          attributes: { name: string; text: string }[]
          groups: string
          roles: { role: string; resource: string }[]
          /** Why rules have no effect, in sentences. */
          remarks: string[]
          /** Each with its beginning, if it is too long to be read at a glance. */
          claims: { name: string; text: string; beginning: string | undefined }[]
        }
      | undefined
  }
}
