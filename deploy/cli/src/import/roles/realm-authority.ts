import { CommandFailure } from '../../failure.ts'
import type { Terminal } from '../../terminal.ts'
import { isDeep } from '../entry.ts'
import { type Foreign, objectsOf, textOf, textsOf } from '../fields/fields.ts'
import { layoutOf, type Survey } from '../keycloak-file.ts'
import { valuesOfDocument } from '../records.ts'
import { openSource, peek } from '../source.ts'

/** The groups and roles of a realm of Keycloak, and its clients, as its files have them. */
export type RealmAuthority = {
  /** The name of the realm; empty where no file says it. */
  realm: string
  /** Those of the top level; they have the others in them. */
  groups: Foreign[]
  realmRoles: Foreign[]
  clientRoles: Map<string, Foreign[]>
  clients: Foreign[]
  /** The role that has the roles of every user. */
  defaultRole: string | undefined
  /** The paths of the groups that new users joined. */
  defaultGroups: string[]
}

/** An authority without anything. */
export const nothingOf = (realm: string): RealmAuthority => ({
  ...{ realm, groups: [], realmRoles: [], clientRoles: new Map(), clients: [] },
  ...{ defaultRole: undefined, defaultGroups: [] },
})

/** The paths of what is read, below a realm. */
const paths = [
  ...['realm', 'groups.*', 'roles.realm.*', 'roles.client.*', 'clients.*', 'defaultRole', 'defaultGroups'],
]

/**
 * Reads the groups, the roles and the clients of a realm, but not its users, of whom there may be more than the memory holds.
 * @param survey says which realms are wanted
 * @throws CommandFailure when a file cannot be read
 */
export async function readAuthority(
  files: readonly string[],
  survey: Pick<Survey, 'isWanted'>,
  terminal: Pick<Terminal, 'input'>,
): Promise<RealmAuthority> {
  const found = nothingOf('')
  for (const file of files) {
    const { beginning, whole, close } = await peek(openSource(file, terminal))
    const layout = layoutOf(beginning)
    if (layout === 'list') {
      await close()
      continue
    }
    const depth = layout === 'realm' ? 0 : 1
    const start = depth === 0 ? '$' : '$.*'
    const wanted = paths.map((path) => `${start}.${path}`)
    for await (const { value, keys } of valuesOfDocument(whole, wanted))
      if (survey.isWanted(file, depth === 0 ? 0 : Number(keys[0])))
        add(keys.slice(depth).map(String), value, found)
  }
  return found
}

function add([field, kind, name]: readonly string[], value: unknown, found: RealmAuthority): void {
  if (isDeep(value)) throw new CommandFailure(`${field} of the file are nested too deeply.`)
  const object: Foreign = Object(value)
  if (field === 'realm') found.realm = textOf(value) ?? found.realm
  else if (field === 'groups') found.groups.push(object)
  else if (field === 'clients') found.clients.push(object)
  else if (field === 'defaultRole') found.defaultRole = textOf(object.name)
  else if (field === 'defaultGroups') found.defaultGroups = textsOf(value)
  else if (kind === 'realm') found.realmRoles.push(object)
  else if (name !== undefined) found.clientRoles.set(name, objectsOf(value))
}
