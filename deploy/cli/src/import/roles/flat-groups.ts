import { groupLimits } from '@gatehouse/proto/groups'
import { type Foreign, isSet, objectsOf, shown, textOf } from '../fields/fields.ts'
import { type RoleRef, refsIn } from './role-refs.ts'

/** A group of Keycloak without those in it. */
export type FlatGroup = {
  /** The path without the first slash, such as `sales/emea`. */
  name: string
  /** Its own roles and those of the groups that it is in: Keycloak gives a member all of them. */
  roles: RoleRef[]
  /** Sentences about what is different here. */
  notes: string[]
  /** Why it cannot be imported. */
  fault: string | undefined
}

/**
 * Flattens groups: here no group is in another one.
 * @param groups those of the top level
 * @returns all groups by their path, as users name them
 */
export function flatGroups(groups: readonly Foreign[]): Map<string, FlatGroup> {
  const found = new Map<string, FlatGroup>()
  const names = new Set<string>()
  const left = groups.map((group) => ({ group, parent: undefined as Parent | undefined })).reverse()
  for (let next = left.pop(); next; next = left.pop()) {
    const { group, parent } = next
    // A slash in a name is written with a tilde before it, in the path alone.
    const path =
      textOf(group.path) ?? `${parent?.path ?? ''}/${(textOf(group.name) ?? '').replaceAll('/', '~/')}`
    const own = refsIn(group)
    const roles = [...own, ...(parent?.roles ?? [])]
    const name = path.replace(/^\//, '')
    found.set(path, {
      ...{ name, roles },
      notes: notesOn(group, parent, own),
      fault: faultOf(name, names) ?? (found.has(path) ? 'The files have this group twice.' : undefined),
    })
    names.add(name.toLowerCase())
    for (const child of objectsOf(group.subGroups).reverse())
      left.push({ group: child, parent: { path, roles } })
  }
  return found
}

type Parent = { path: string; roles: RoleRef[] }

function faultOf(name: string, names: ReadonlySet<string>): string | undefined {
  if (name === '') return 'It has no name.'
  if ([...name].length > groupLimits.name) return `Its path is longer than ${groupLimits.name} characters.`
  return names.has(name.toLowerCase())
    ? 'Its name differs from that of another group only in upper and lower case.'
    : undefined
}

function notesOn(group: Foreign, parent: Parent | undefined, own: readonly RoleRef[]): string[] {
  const notes: string[] = []
  if (parent) notes.push('It was in another group: its name is the path.')
  if (parent && parent.roles.length > 0)
    notes.push('It has the roles of the groups that it was in, as roles of its own.')
  const attributes = Object.entries(Object(group.attributes ?? {})).flatMap(([name, value]) =>
    isSet(value) ? [shown(name)] : [],
  )
  if (attributes.length > 0) notes.push(`attributes: groups have none here: ${attributes.join(', ')}.`)
  for (const field of ['realmRoles', 'clientRoles'])
    if (isSet(group[field]) && own.length === 0) notes.push(`${field}: it has no role that could be read.`)
  return notes
}
