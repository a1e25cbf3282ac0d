import { canonicalUuid } from '@gatehouse/kit/formats'
import { grants } from '@gatehouse/proto/grants'
import type { Terminal } from '../../terminal.ts'
import { type Entry, entriesOf, type Place } from '../entry.ts'
import {
  type FieldTable,
  type Foreign,
  goThrough,
  kept,
  nothingFound,
  shown,
  textOf,
  textsOf,
} from '../fields/fields.ts'
import { keycloakClient } from '../keycloak-client.ts'
import { keycloakRecords, type Survey } from '../keycloak-file.ts'
import type { Prepared } from '../prepared.ts'
import { type FlatGroup, flatGroups } from './flat-groups.ts'
import { type FlatRoles, flatRoles } from './flat-roles.ts'
import type { ClientItem, Gift, GiftItem, GroupItem, RoleItem } from './items.ts'
import type { RealmAuthority } from './realm-authority.ts'
import { keyOf, type RoleRef, refsIn, wordsOf } from './role-refs.ts'
import type { RoleServer } from './servers.ts'

/** The groups and roles of a realm as they are imported. */
export type FlatAuthority = FlatRoles & {
  groups: ReadonlyMap<string, FlatGroup>
  /** The clients that have roles, and undefined for the realm if it has some. */
  clientsWithRoles: (string | undefined)[]
}

/** Flattens what a realm has. */
export function flatAuthority(authority: RealmAuthority): FlatAuthority {
  const flat = flatRoles(authority)
  const valid = [...flat.roles.values()].filter(({ fault }) => fault === undefined)
  const clientsWithRoles = [...new Set(valid.map(({ ref }) => ref.client))]
  return { ...flat, groups: flatGroups(authority.groups), clientsWithRoles }
}

type Servers = ReadonlyMap<string | undefined, RoleServer>
type Deps = { flat: FlatAuthority; servers: Servers }

/** The groups. */
export async function* groupEntries({ groups }: FlatAuthority): AsyncGenerator<Entry<GroupItem>> {
  let line = 0
  for (const { name, notes, fault } of groups.values()) {
    line += 1
    yield { place: { line }, prepared: prepared(shown(name), fault, { group: name }, notes) }
  }
}

/** The roles. */
export async function* roleEntries({ flat, servers }: Deps): AsyncGenerator<Entry<RoleItem>> {
  let line = 0
  for (const { ref, description, notes, fault } of flat.roles.values()) {
    line += 1
    const identifier = servers.get(ref.client)?.identifier ?? ''
    const item = { identifier, role: ref.role, description }
    const place: Place = { line, ...(identifier && { resource: identifier }) }
    yield { place, prepared: prepared(shown(ref.role), fault, item, notes) }
  }
}

/** The roles of groups. */
export async function* groupGiftEntries(deps: Deps): AsyncGenerator<Entry<GiftItem>> {
  let line = 0
  for (const { name, roles, fault } of deps.flat.groups.values()) {
    line += 1
    if (fault !== undefined) continue
    yield* giftEntries({ line }, name, { group: name }, giftsOf({ roles, groups: [] }, deps))
  }
}

/** The fields of a user that are read here. */
const userFields: FieldTable = {
  ...kept('a list of texts', 'realmRoles', 'groups'),
  ...kept('an object', 'clientRoles', 'applicationRoles'),
}

/**
 * The groups and roles of users, one user after the other.
 * @param serviceAccounts gets the roles of users who stand for clients, by the id of the client
 */
export async function* userGiftEntries(
  files: readonly string[],
  survey: Survey,
  serviceAccounts: Map<string, RoleRef[]>,
  terminal: Pick<Terminal, 'input'>,
  deps: Deps,
): AsyncGenerator<Entry<GiftItem>> {
  const readingOf = (_: string, file: string) => ({
    records: (source: Parameters<typeof keycloakRecords>[0]) => keycloakRecords(source, 'users'),
    prepare: (value: unknown, realm?: number): Prepared<Foreign> | undefined =>
      survey.isWanted(file, realm)
        ? { name: textOf(Object(value).username) ?? '', item: Object(value), note: '' }
        : undefined,
  })
  for await (const entry of entriesOf(files, readingOf, terminal)) {
    if ('note' in entry) continue
    const { place, prepared: found } = entry
    if (!('item' in found)) {
      yield { place, prepared: found }
      continue
    }
    const { name: username, item: user } = found
    const client = textOf(user.serviceAccountClientId)
    const findings = nothingFound()
    const read = Object.keys(userFields).map((field) => [field, user[field]])
    goThrough(Object.fromEntries(read), userFields, findings)
    if (findings.holds.length > 0)
      yield { place, prepared: { name: username, outcome: 'invalid', reason: findings.holds.join(' ') } }
    else if (client !== undefined) serviceAccounts.set(client, refsIn(user))
    else {
      const userId = canonicalUuid(textOf(user.id) ?? '')
      const gifts = giftsOf({ roles: refsIn(user), groups: textsOf(user.groups) }, deps)
      yield* giftEntries(place, username, { username, userId }, gifts)
    }
  }
}

/** The clients: their own roles, and those that they read in ID tokens. */
export async function* clientEntries(
  clients: readonly Foreign[],
  serviceAccounts: ReadonlyMap<string, RoleRef[]>,
  { flat, servers }: Deps,
): AsyncGenerator<Entry<ClientItem>> {
  let line = 0
  for (const client of clients) {
    line += 1
    const { name: clientId, ...found } = keycloakClient(client)
    if (!('item' in found)) continue
    const refs = flat.expand(serviceAccounts.get(clientId) ?? [])
    const roles = refs.given.flatMap((ref) => {
      const server = servers.get(ref.client)
      return server && flat.roles.has(keyOf(ref)) ? [{ ...server, role: ref.role }] : []
    })
    const { grant_types: types = [], scope = '' } = found.item
    const hasUsers = types.some((type) => Object(grants)[type]?.tokensOf === 'user')
    const reads = hasUsers && scope.split(' ').includes('roles')
    const rolesOf = reads ? (servers.get(clientId) ?? servers.get(undefined))?.identifier : undefined
    if (roles.length === 0 && rolesOf === undefined) continue
    const notes = [
      ...(roles.length > 0
        ? [
            `The roles of its service account: ${roles.map(({ role, name }) => shown(`${name} ${role}`)).join(', ')}.`,
          ]
        : []),
      ...(refs.own.some(({ client }) => client !== undefined)
        ? [
            `Left out, since they are Keycloak’s own: ${refs.own.map((ref) => shown(wordsOf(ref))).join(', ')}.`,
          ]
        : []),
      ...(rolesOf === undefined ? [] : [`By the scope \`roles\`, it reads the roles at ${rolesOf}.`]),
    ]
    yield { place: { line }, prepared: prepared(clientId, undefined, { clientId, roles, rolesOf }, notes) }
  }
}

function prepared<Item>(
  name: string,
  fault: string | undefined,
  item: Item,
  notes: readonly string[],
): Prepared<Item> {
  return fault === undefined
    ? { name, item, note: notes.join(' ') }
    : { name, outcome: 'invalid', reason: fault }
}

/** A thing that somebody gets, as the report names it, or why they do not. */
type NamedGift = { shown: object } & ({ gift: Gift } | { outcome: 'invalid' | 'skipped'; reason: string })

/** The memberships and roles of somebody, each once. */
function giftsOf(
  { roles, groups }: { roles: readonly RoleRef[]; groups: readonly string[] },
  { flat, servers }: Deps,
): NamedGift[] {
  const { given, own } = flat.expand(roles)
  return [
    ...[...new Set(groups)].map((path): NamedGift => {
      const name = (flat.groups.get(path) ?? flat.groups.get(`/${path}`))?.name
      return name === undefined
        ? { shown: { group: shown(path) }, outcome: 'invalid', reason: 'The files have no such group.' }
        : { shown: { group: shown(name) }, gift: { group: name } }
    }),
    ...given.map((ref): NamedGift => {
      const { identifier } = servers.get(ref.client) ?? {}
      const role = {
        ...(identifier && { resource: identifier }),
        role: shown(identifier ? ref.role : wordsOf(ref)),
      }
      if (identifier === undefined || !flat.roles.has(keyOf(ref)))
        return { shown: role, outcome: 'invalid', reason: 'The files have no such role.' }
      return { shown: role, gift: { identifier, role: ref.role } }
    }),
    // Those that everybody has say nothing.
    ...own
      .filter(({ client }) => client !== undefined && client !== 'account')
      .map(
        (ref): NamedGift => ({
          shown: { role: shown(wordsOf(ref)) },
          ...{ outcome: 'skipped', reason: 'A role of Keycloak’s own administration.' },
        }),
      ),
  ]
}

function* giftEntries(
  place: Place,
  name: string,
  holder: GiftItem['holder'],
  gifts: readonly NamedGift[],
): Generator<Entry<GiftItem>> {
  for (const { shown: about, ...one } of gifts)
    yield {
      place: { ...place, ...about },
      prepared: { name, ...('gift' in one ? { item: { holder, gift: one.gift }, note: '' } : one) },
    }
}
