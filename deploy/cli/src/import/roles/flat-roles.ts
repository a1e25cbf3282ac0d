import { resourceServerLimits as limits, roleNameFault } from '@gatehouse/proto/resource-servers'
import { type Foreign, isSet, shown, textOf, textsOf } from '../fields/fields.ts'
import { rolesOfEverybody } from '../fields/keycloak-user-fields.ts'
import { isOwnClient } from '../keycloak-client.ts'
import type { RealmAuthority } from './realm-authority.ts'
import { keyOf, type RoleRef, refsOfClients, wordsOf } from './role-refs.ts'

/** A role of Keycloak without those in it. */
export type FlatRole = {
  ref: RoleRef
  description: string
  /** Sentences about what is different here. */
  notes: string[]
  /** Why it cannot be imported. */
  fault: string | undefined
}

/** The roles of a realm. */
export type FlatRoles = {
  /** All that are imported, by their keys: none of Keycloak's own. */
  roles: Map<string, FlatRole>
  /**
   * The roles that somebody with these roles has, each once: a composite role gives its parts too.
   * @returns those of Keycloak's own apart; among the others may be some that the files do not have
   */
  expand(refs: readonly RoleRef[]): { given: RoleRef[]; own: RoleRef[] }
}

/** Flattens the roles of a realm: here no role is in another one. */
export function flatRoles({ realmRoles, clientRoles, defaultRole }: RealmAuthority): FlatRoles {
  const all: { ref: RoleRef; role: Foreign }[] = [
    ...realmRoles.map((role) => ({ ref: { client: undefined, role: textOf(role.name) ?? '' }, role })),
    ...[...clientRoles].flatMap(([client, roles]) =>
      roles.map((role) => ({ ref: { client, role: textOf(role.name) ?? '' }, role })),
    ),
  ]
  const parts = new Map(all.map(({ ref, role }) => [keyOf(ref), partsOf(role)]))
  const isOwn = ({ client, role }: RoleRef) =>
    client === undefined ? role === defaultRole || rolesOfEverybody.test(role) : isOwnClient(client)

  function expand(refs: readonly RoleRef[]) {
    const found = new Map<string, RoleRef>()
    const left = [...refs].reverse()
    for (let next = left.pop(); next; next = left.pop()) {
      const key = keyOf(next)
      if (found.has(key)) continue
      found.set(key, next)
      left.push(...[...(parts.get(key) ?? [])].reverse())
    }
    const each = [...found.values()]
    return { given: each.filter((ref) => !isOwn(ref)), own: each.filter(isOwn) }
  }

  const roles = new Map<string, FlatRole>()
  const names = new Map<string, Set<string>>()
  for (const { ref, role } of all.filter(({ ref }) => !isOwn(ref))) {
    const client = ref.client ?? ''
    const before = names.get(client) ?? new Set()
    names.set(client, before)
    const key = keyOf(ref)
    if (roles.has(key)) continue
    const fault = faultOf(ref.role, before)
    if (fault === undefined) before.add(ref.role.toLowerCase())
    const { given, own } = expand(parts.get(key) ?? [])
    roles.set(key, { ref, ...descriptionOf(role), ...{ fault } })
    roles.get(key)?.notes.push(...notesOn(role, given, own))
  }
  return { roles, expand }
}

function partsOf({ composites }: Foreign): RoleRef[] {
  const { realm, client }: Foreign = Object(composites ?? {})
  return [...textsOf(realm).map((role) => ({ client: undefined, role })), ...refsOfClients(client)]
}

function faultOf(name: string, before: ReadonlySet<string>): string | undefined {
  const fault = roleNameFault(name)
  if (fault) return `Its name ${fault} here.`
  if (before.has(name.toLowerCase()))
    return 'Its name differs from that of another role only in upper and lower case.'
  return before.size >= limits.roles ? `A resource server has at most ${limits.roles} roles here.` : undefined
}

/** Keycloak's own words are keys of translations, such as ${role_default-roles}. */
function descriptionOf({ description: given }: Foreign): Pick<FlatRole, 'description' | 'notes'> {
  const text = (textOf(given) ?? '').replaceAll(/\p{C}/gu, ' ').trim()
  if (text.startsWith('${')) return { description: '', notes: [] }
  const characters = [...text]
  return {
    description: characters.slice(0, limits.description).join('').trim(),
    notes: characters.length > limits.description ? ['description: it is cut.'] : [],
  }
}

function notesOn(role: Foreign, given: readonly RoleRef[], own: readonly RoleRef[]): string[] {
  const words = (refs: readonly RoleRef[]) => refs.map((ref) => shown(wordsOf(ref))).join(', ')
  const attributes = Object.entries(Object(role.attributes ?? {})).flatMap(([name, value]) =>
    isSet(value) ? [shown(name)] : [],
  )
  return [
    ...(given.length > 0
      ? [`It is a composite role: those who have it get its parts as roles of their own: ${words(given)}.`]
      : []),
    ...(own.length > 0 ? [`Its parts that are Keycloak’s own are left out: ${words(own)}.`] : []),
    ...(attributes.length > 0 ? [`attributes: roles have none here: ${attributes.join(', ')}.`] : []),
  ]
}
