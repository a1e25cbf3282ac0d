import type { ResourceServer } from '@gatehouse/admin-api/generated/openapi'
import { groupLimits } from '@gatehouse/proto/groups'
import { resourceServerLimits } from '@gatehouse/proto/resource-servers'
import { type Api, allPages, dataOf } from '../../api.ts'
import { CommandFailure, exitCodes } from '../../failure.ts'
import { atGroup, findGroup } from '../../finding/find-group.ts'
import { atResource } from '../../finding/find-resource.ts'
import { findUser } from '../../finding/find-user.ts'
import type { Result } from '../prepared.ts'
import type { ClientItem, GiftItem, GroupItem, Holder, RoleItem } from './items.ts'
import { type Refused, sendInRuns } from './one-by-one.ts'
import type { RoleServer } from './servers.ts'

/** How the groups and roles of a realm are sent. */
export type SendingRules = {
  servers: readonly RoleServer[]
  /** Whether nothing is stored: what would be new counts as created. */
  dryRun: boolean
  /** Whether users whose id is unknown are found by their name. */
  byName: boolean
}

const created: Result = { outcome: 'created' }
const exists: Result = { outcome: 'exists' }
const skipped = (reason: string): Result => ({ outcome: 'skipped', reason })
/** The most of a page of the API. */
const limit = 200

/**
 * Opens the ways to send the groups, the roles, those who have them, and the clients, which belong in this order.
 * @throws CommandFailure when the groups cannot be read
 */
export async function openSending(api: Api, { servers, dryRun, byName }: SendingRules) {
  const all = await allPages((cursor) =>
    dataOf(api.GET('/admin/api/groups', { params: { query: { limit, ...(cursor && { cursor }) } } })),
  )
  // In a dry run, the ids of those that do not exist are empty.
  const groupIds = new Map(all.map(({ name, group_id: id }) => [name.toLowerCase(), id]))
  const roles = new Map<string, string>()
  const roleKey = (identifier: string, role: string) => JSON.stringify([identifier, role])

  async function sendGroup([item]: GroupItem[]): Promise<Result[] | Refused> {
    const { group: name } = item as GroupItem
    if (groupIds.has(name.toLowerCase())) return [exists]
    if (dryRun) {
      groupIds.set(name.toLowerCase(), '')
      return [created]
    }
    const answer = await api.POST('/admin/api/groups', { body: { name } })
    // The answer of an earlier try may have been lost.
    const found = answer.data ?? (answer.response.status === 400 ? await groupOf(name) : undefined)
    if (found === undefined) return answer
    groupIds.set(name.toLowerCase(), found.group_id)
    return [answer.data ? created : exists]
  }

  async function sendRoles(run: RoleItem[]): Promise<Result[] | Refused> {
    const { identifier } = run[0] as RoleItem
    const found = await resourceServer(api, identifier)
    const before = new Set(found?.roles.map(({ name }) => name))
    const missing = run.filter(({ role }) => !before.has(role))
    const sent = missing.map(({ role, description }) => ({ name: role, description }))
    let id = found?.resource_id ?? ''
    if (sent.length > 0 && !dryRun) {
      const answer = found
        ? await api.PATCH('/admin/api/resources/{resource_id}', {
            ...atResource(found.resource_id),
            body: { roles: [...found.roles, ...sent], revision: found.revision },
          })
        : await api.POST('/admin/api/resources', { body: { ...newServer(identifier), roles: sent } })
      if (answer.data === undefined) return answer
      id = answer.data.resource_id
    }
    for (const { role } of run) roles.set(roleKey(identifier, role), id)
    return run.map(({ role }) => (before.has(role) ? exists : created))
  }

  function newServer(identifier: string) {
    const { name = identifier, scope = '' } = servers.find((one) => one.identifier === identifier) ?? {}
    return {
      ...{ identifier, name, scopes: [{ scope, description: `Use ${name}` }] },
      ...{ token_claims: ['roles' as const], claims_shape: 'keycloak' as const },
    }
  }

  async function sendGifts(run: GiftItem[]): Promise<Result[] | Refused> {
    const { gift } = run[0] as GiftItem
    const id =
      'group' in gift
        ? groupIds.get(gift.group.toLowerCase())
        : roles.get(roleKey(gift.identifier, gift.role))
    if (id === undefined)
      return run.map(() => skipped(`Its ${'group' in gift ? 'group' : 'role'} was not imported.`))
    if (dryRun) return run.map(() => created)
    const first = await give(run, id, ({ username, userId }) => userId ?? idOf(username))
    if (!byName || !Array.isArray(first)) return first
    const again = run.flatMap((item, index) =>
      'username' in item.holder && item.holder.userId !== undefined && first[index]?.outcome === 'invalid'
        ? [{ item, index }]
        : [],
    )
    if (again.length === 0) return first
    const second = await give(
      again.map(({ item }) => item),
      id,
      ({ username }) => idOf(username),
    )
    if (!Array.isArray(second)) return second
    for (const [index, result] of second.entries()) first[again[index]?.index ?? -1] = result
    return first
  }

  /** Gives the same thing to several. @param id that of the group or the resource server */
  async function give(
    run: readonly GiftItem[],
    id: string,
    userIdOf: (user: Extract<Holder, { username: string }>) => string | Promise<string | undefined>,
  ): Promise<Result[] | Refused> {
    const { gift } = run[0] as GiftItem
    const holders: { user_id?: string; group_id?: string }[] = []
    const places: number[] = []
    const results = run.map((): Result => ({ outcome: 'invalid', reason: nobody }))
    for (const [index, { holder }] of run.entries()) {
      const isGroup = 'group' in holder
      const found = isGroup ? groupIds.get(holder.group.toLowerCase()) : await userIdOf(holder)
      if (found === undefined && isGroup) results[index] = skipped('The group was not imported.')
      if (found === undefined) continue
      holders.push(isGroup ? { group_id: found } : { user_id: found })
      places.push(index)
    }
    if (holders.length === 0) return results
    const answer = 'group' in gift ? await join(id, holders) : await giveRole(id, gift.role, holders)
    if (!('given' in answer)) return answer
    for (const [index, { outcome, reason }] of answer.given.entries())
      results[places[index] ?? -1] =
        outcome === 'refused'
          ? { outcome: 'invalid', reason: reason === 'There is no such user.' ? nobody : reason }
          : outcome === 'done'
            ? created
            : exists
    return results
  }

  async function join(id: string, holders: readonly { user_id?: string }[]) {
    const body = { add: holders.map(({ user_id: userId }) => userId ?? '') }
    const answer = await api.PATCH('/admin/api/groups/{group_id}/members', { ...atGroup(id), body })
    return answer.data ? { given: answer.data.added } : answer
  }

  async function giveRole(id: string, role: string, holders: { user_id?: string; group_id?: string }[]) {
    const path = '/admin/api/resources/{resource_id}/roles/{role}/holders'
    const params = { path: { resource_id: id, role } }
    const answer = await api.PATCH(path, { params, body: { give: holders } })
    return answer.data ? { given: answer.data.given } : answer
  }

  const groupOf = (name: string) => unlessNone(() => findGroup(api, name))
  const idOf = async (username: string) => (await unlessNone(() => findUser(api, username)))?.user_id

  async function sendClient([item]: ClientItem[]): Promise<Result[] | Refused> {
    const { clientId, rolesOf, roles: wanted } = item as ClientItem
    const own = wanted.filter(({ identifier, role }) => roles.has(roleKey(identifier, role)))
    const at = { params: { path: { client_id: clientId } } }
    const answer = await api.GET('/admin/api/clients/{client_id}', at)
    const { data: client } = answer
    if (client === undefined && answer.response.status === 404)
      return [
        own.length > 0 && !dryRun
          ? { outcome: 'invalid', reason: 'There is no such client: gatehouse clients import brings it.' }
          : dryRun
            ? created
            : skipped('There is no such client.'),
      ]
    if (client === undefined) return answer
    const missing = own.filter(
      ({ identifier, role }) =>
        !client.roles?.some((one) => one.resource === identifier && one.role === role),
    )
    const scopes = new Set([
      ...(client.scope ?? '').split(' ').filter(Boolean),
      ...own.map(({ scope }) => scope),
    ])
    const scope = [...scopes].join(' ')
    const body = {
      ...(missing.length > 0 && {
        roles: [
          ...(client.roles ?? []),
          ...missing.map(({ identifier, role }) => ({ resource: identifier, role })),
        ],
      }),
      ...(own.length > 0 && scope !== client.scope && { scope }),
      ...(rolesOf !== undefined &&
        !client.roles_of && { roles_of: rolesOf, claims_shape: 'keycloak' as const }),
    }
    if (Object.keys(body).length === 0) return [exists]
    if (dryRun) return [created]
    const changed = await api.PATCH('/admin/api/clients/{client_id}', {
      ...at,
      body: { ...body, revision: client.revision },
    })
    return changed.data ? [created] : changed
  }

  return {
    groups: sendInRuns(sendGroup, ({ group }) => group, 1),
    roles: sendInRuns(sendRoles, ({ identifier }) => identifier, resourceServerLimits.roles),
    gifts: sendInRuns(sendGifts, ({ gift }) => JSON.stringify(gift), groupLimits.atOnce),
    clients: sendInRuns(sendClient, ({ clientId }) => clientId, 1),
  }
}

const nobody = 'There is no such user: gatehouse users import brings them.'

/** @returns undefined when there is none */
async function unlessNone<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.notFound) return undefined
    throw error
  }
}

/** @returns undefined when there is none. @throws CommandFailure */
async function resourceServer(api: Api, identifier: string): Promise<ResourceServer | undefined> {
  const params = { query: { identifier } }
  return (await dataOf(api.GET('/admin/api/resources', { params }))).items[0]
}
