import type { Connection } from '../../connections/connection.ts'
import { storedRules } from './connections.ts'

type State = Readonly<Record<string, unknown>>

/** The fields of a connection that people change, as the audit log has them: by the API's names, without its secrets. */
export function stateOf(connection: Connection): State {
  return {
    name: connection.name,
    issuer: connection.issuer ?? null,
    client_id: connection.clientId,
    client_authentication: connection.clientAuthentication,
    scope: connection.scope,
    acr_values: connection.acrValues ?? null,
    tenants: connection.tenants,
    trusts_second_factor: connection.trustsSecondFactor,
    new_users: connection.newUsers,
    mapping: storedRules(connection.mapping),
    domains: connection.domains,
    on_login_page: connection.onLoginPage,
    disabled: connection.disabledAt !== undefined,
  }
}

/** The fields that differ. */
export function differences(was: State, is: State): { before: State; after: State } {
  const differing = Object.keys(is).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  const only = (state: State): State => Object.fromEntries(differing.map((name) => [name, state[name]]))
  return { before: only(was), after: only(is) }
}
