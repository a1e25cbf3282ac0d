import { randomUUIDv7 } from 'node:crypto'
import type { AuditEntry } from '@gatehouse/data/audit'
import type { Prisma } from '@gatehouse/prisma/database'
import { authorityOfUser } from '@gatehouse/proto/authority'
import { groupLimits, localSource } from '@gatehouse/proto/groups'
import { organizationLimits } from '@gatehouse/proto/organizations'
import type { Arrival } from '../../connections/arrival.ts'
import { attributesIn } from '../../organizations/organization-fields.ts'
import type { PublicUser } from '../../users/user.ts'
import { lockGroups } from '../groups/locked-groups.ts'

type Transaction = Prisma.TransactionClient
type Names = { group: string } | { resource: string; role: string }

/**
 * Gives a user what the mapping gives them, and takes what it gave before and no longer gives. The user, their organization and the
 * connection are locked. Groups and roles that they have from elsewhere stay theirs.
 * @returns the keys of the authority that ends, for `endAuthority`
 */
export async function applyMapping(
  transaction: Transaction,
  arrival: Arrival,
  user: PublicUser,
  write: (entry: AuditEntry) => Promise<void>,
): Promise<string[]> {
  await applyAttributes(transaction, arrival, user.id)
  const found = await groupsNamed(transaction, arrival)
  const taken = await takeOthers(transaction, arrival, user.id, found)
  const given = [
    ...(await giveGroups(transaction, arrival, user.id, found)),
    ...(await giveRoles(transaction, arrival, user.id)),
  ]
  if (taken.length + given.length > 0) {
    const { connectionId, organizationId } = arrival.connection
    const place = { connection_id: connectionId, ...(organizationId && { organization_id: organizationId }) }
    await write({
      actor: { kind: 'user', id: user.id, name: user.username, ...arrival.caller },
      action: 'connection.map',
      target: user.id,
      before: { ...place, ...shown(taken) },
      after: { ...place, ...shown(given) },
    })
  }
  return taken.length > 0 ? [authorityOfUser(user.id)] : []
}

function shown(names: readonly Names[]) {
  const groups = names.flatMap((one) => ('group' in one ? [one.group] : []))
  const roles = names.filter((one) => 'role' in one)
  return { ...(groups.length > 0 && { groups }), ...(roles.length > 0 && { roles }) }
}

/** Says which groups of a mapping exist, and why the others give nothing. */
export async function previewGroups(transaction: Transaction, arrival: Arrival) {
  const found = await groupsNamed(transaction, arrival)
  const known = new Set(found.map(({ lower }) => lower))
  const missing = arrival.mapped.groups.filter((name) => !known.has(name.toLowerCase()))
  return {
    groups: found.map(({ name }) => name),
    remarks: missing.map((name) => `There is no group ${name} that people may fill.`),
  }
}

type FoundGroup = { groupId: string; name: string; lower: string }

/** The groups of the mapping that exist in the connection's place, and that no directory fills. */
function groupsNamed(transaction: Transaction, { connection, mapped }: Arrival): Promise<FoundGroup[]> {
  if (mapped.groups.length === 0) return Promise.resolve([])
  return transaction.$queryRawUnsafe<FoundGroup[]>(
    `select g.group_id as "groupId", g.name, lower(g.name) as lower from identity.groups g
    where lower(g.name) in (select lower(name) from unnest($1::text[]) name)
      and g.organization_id is not distinct from $2::text and g.source = $3
    order by g.group_id`,
    mapped.groups,
    connection.organizationId ?? null,
    localSource,
  )
}

/** Takes the groups and roles that the connection gave, and that the mapping gives no longer. */
async function takeOthers(
  transaction: Transaction,
  { connection, mapped }: Arrival,
  userId: string,
  groups: readonly FoundGroup[],
): Promise<Names[]> {
  const { connectionId } = connection
  const left = await transaction.$queryRawUnsafe<{ group: string }[]>(
    `delete from identity.group_members m using identity.connection_grants g, identity.groups k
    where g.connection_id = $1 and g.user_id = $2::uuid and g.group_id <> all($3::uuid[])
      and m.group_id = g.group_id and m.user_id = g.user_id and k.group_id = g.group_id
    returning k.name as group`,
    connectionId,
    userId,
    groups.map(({ groupId }) => groupId),
  )
  const lost = await transaction.$queryRawUnsafe<{ resource: string; role: string }[]>(
    `delete from identity.role_assignments a using identity.connection_grants g
    where g.connection_id = $1 and g.user_id = $2::uuid and a.assignment_id = g.assignment_id
      and not exists (
        select from unnest($3::uuid[], $4::text[]) kept(resource_id, role)
        where kept.resource_id = a.resource_id and kept.role = a.role
      )
    returning a.resource, a.role`,
    connectionId,
    userId,
    mapped.roles.map(({ resourceId }) => resourceId),
    mapped.roles.map(({ role }) => role),
  )
  return [...left, ...lost]
}

async function giveGroups(
  transaction: Transaction,
  { connection }: Arrival,
  userId: string,
  groups: readonly FoundGroup[],
): Promise<Names[]> {
  const { connectionId, organizationId } = connection
  const locked = await lockGroups(
    transaction,
    groups.map(({ groupId }) => groupId),
    'against deletion',
    organizationId,
  )
  if (locked.length === 0) return []
  return transaction.$queryRawUnsafe<{ group: string }[]>(
    `with room as (
      select ${groupLimits.groupsOfUser} - count(*) as places from identity.group_members m
      join identity.groups g on g.group_id = m.group_id
      where m.user_id = $2::uuid and g.organization_id is not distinct from $4::text
    ), missing as (
      select t.group_id from unnest($3::uuid[]) t(group_id)
      where not exists (select from identity.group_members m where m.group_id = t.group_id and m.user_id = $2::uuid)
      order by t.group_id limit greatest(0, (select places from room))
    ), joined as (
      insert into identity.group_members (group_id, user_id) select group_id, $2::uuid from missing
      on conflict do nothing returning group_id
    ), noted as (
      insert into identity.connection_grants (connection_id, user_id, group_id) select $1, $2::uuid, group_id from joined
      returning group_id
    )
    select g.name as group from noted join identity.groups g on g.group_id = noted.group_id order by g.name`,
    connectionId,
    userId,
    locked.map(({ groupId }) => groupId),
    organizationId ?? null,
  )
}

async function giveRoles(
  transaction: Transaction,
  { connection, mapped }: Arrival,
  userId: string,
): Promise<Names[]> {
  if (mapped.roles.length === 0) return []
  return transaction.$queryRawUnsafe<{ resource: string; role: string }[]>(
    `with given as (
      insert into identity.role_assignments (assignment_id, resource_id, resource, role, user_id, organization_id)
      select t.id, t.resource_id, t.resource, t.role, $2::uuid, $3::text
      from unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[]) t(id, resource_id, resource, role)
      on conflict do nothing returning assignment_id, resource, role
    ), noted as (
      insert into identity.connection_grants (connection_id, user_id, assignment_id)
      select $1, $2::uuid, assignment_id from given
    )
    select resource, role from given`,
    connection.connectionId,
    userId,
    connection.organizationId ?? null,
    mapped.roles.map(() => randomUUIDv7()),
    mapped.roles.map(({ resourceId }) => resourceId),
    mapped.roles.map(({ resource }) => resource),
    mapped.roles.map(({ role }) => role),
  )
}

/** Sets the attributes that rules name: of the membership, or of the user for a connection of the instance. */
async function applyAttributes(
  transaction: Transaction,
  { connection, mapped }: Arrival,
  userId: string,
): Promise<void> {
  const entries = Object.entries(mapped.attributes)
  if (entries.length === 0) return
  const { organizationId } = connection
  if (organizationId === undefined) {
    // A claim that is missing takes nothing from a user, who may have set the attribute themselves.
    const set = Object.fromEntries(entries.filter(([, value]) => value !== null))
    await transaction.$executeRaw`
      update identity.users u set attributes = u.attributes || ${JSON.stringify(set)}::jsonb,
        attributes_updated_at = now(), updated_at = now()
      where u.id = ${userId}::uuid and u.attributes <> u.attributes || ${JSON.stringify(set)}::jsonb`
    return
  }
  const key = { organizationId_userId: { organizationId, userId } }
  const member = await transaction.organizationMember.findUnique({ where: key })
  if (member === null) return
  const kept = Object.entries(attributesIn(member.attributes)).filter(
    ([name]) => !(name in mapped.attributes),
  )
  const set = entries.filter(([, value]) => value !== null)
  const attributes = Object.fromEntries([...kept, ...set].slice(0, organizationLimits.attributes))
  await transaction.organizationMember.update({ where: key, data: { attributes } })
}
