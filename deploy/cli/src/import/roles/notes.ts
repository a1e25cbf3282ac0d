import { shown } from '../fields/fields.ts'
import { isOwnClient } from '../keycloak-client.ts'
import type { FlatAuthority } from './entries.ts'
import type { RealmAuthority } from './realm-authority.ts'
import { wordsOf } from './role-refs.ts'
import type { RoleServer } from './servers.ts'

/** Sentences about a realm as a whole: where its roles are, and what does not come along. */
export function notesOn(
  { realm, clientRoles, defaultRole, defaultGroups }: RealmAuthority,
  { expand }: FlatAuthority,
  servers: ReadonlyMap<string | undefined, RoleServer>,
): string[] {
  const list = (names: readonly string[]) => names.map(shown).join(', ')
  const own = [...clientRoles].flatMap(([client, roles]) =>
    isOwnClient(client) && roles.length > 0 ? [client] : [],
  )
  const usual = defaultRole === undefined ? [] : expand([{ client: undefined, role: defaultRole }]).given
  return [
    ...[...servers].map(
      ([client, { identifier, scope }]) =>
        `The roles of ${client === undefined ? `the realm ${shown(realm)}` : `the client ${shown(client)}`} are those of the resource server ${identifier}. If it is new, its scope is ${scope}: clients that ask for tokens for it need that.`,
    ),
    ...(own.length > 0 ? [`The roles of Keycloak’s own clients are left out: ${list(own)}.`] : []),
    ...(usual.length > 0
      ? [
          `Every user of the realm had the roles ${list(usual.map(wordsOf))}. The imported ones have them; here a new user has none.`,
        ]
      : []),
    ...(defaultGroups.length > 0
      ? [`New users joined the groups ${list(defaultGroups)}: here a new user is in none.`]
      : []),
  ]
}
