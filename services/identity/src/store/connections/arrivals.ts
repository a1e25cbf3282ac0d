import { auditedTransactions } from '@gatehouse/data/audit'
import { inTransaction } from '@gatehouse/data/in-transaction'
import { holdReservation } from '@gatehouse/data/name-claims'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Actor } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { organizationLimits } from '@gatehouse/proto/organizations'
import type { Arrival, ArrivalProblem, ArrivalStore } from '../../connections/arrival.ts'
import type { PublicUser } from '../../users/user.ts'
import { adminRoleSql } from '../admin-roles.ts'
import { endAuthority } from '../authority-ends.ts'
import type { MailWriter } from '../mail/mails.ts'
import { lockOrganization } from '../organizations/locked-organization.ts'
import { fillAttributesSql } from '../providers/social-accounts.ts'
import { applyMapping, previewGroups } from './applied-mapping.ts'
import { hasIssuerSql } from './leading-links.ts'

type Transaction = Prisma.TransactionClient

/** How many accounts at connections a user may have. */
const mostLinks = 50

/** The people who come by connections, in PostgreSQL. Each transaction locks the user before the organization, and that before the connection. */
export function createArrivalStore(
  database: Pick<Database, 'prisma'>,
  { keepEvent, mails }: { keepEvent: KeepEvent; mails: MailWriter },
): ArrivalStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    find: (arrival) =>
      audited(async (transaction, write) => {
        const userId = await linkedUser(transaction, arrival)
        if (userId === undefined)
          return { outcome: (await strangerProblem(transaction, arrival)) ?? 'stranger' }
        const user = await lockUser(transaction, userId)
        const problem = await lockWay(transaction, arrival, 'against changes of members')
        if (problem !== undefined) return { outcome: problem }
        // Again, after the locks: the link may be gone meanwhile, and the user with it.
        if (user === undefined || (await linkedUser(transaction, arrival)) !== userId)
          return { outcome: 'not invited' }
        if (user.disabled) return { outcome: 'disabled' }
        if (!(await isMember(transaction, arrival, userId))) return { outcome: 'no member' }
        await renewLink(transaction, arrival, userId)
        const { disabled: _, ...known } = user
        const keys = await applyMapping(transaction, arrival, known, write)
        return { outcome: 'in', user: known, revocationIds: await endAuthority(transaction, keys) }
      }),

    create: (arrival, { id, username, reservation }) =>
      audited(async (transaction, write) => {
        await holdReservation(transaction, 'identity', reservation)
        await lockPerson(transaction, arrival)
        const closed = await lockWay(transaction, arrival, 'against other changes')
        if (closed !== undefined) return { outcome: closed }
        if ((await linkedUser(transaction, arrival)) !== undefined) return 'name taken'
        const problem =
          (await strangerProblem(transaction, arrival)) ?? (await fullProblem(transaction, arrival))
        if (problem !== undefined) return { outcome: problem }
        const { organizationId } = arrival.connection
        const vouchedBy = arrival.address === undefined ? null : (organizationId ?? null)
        const added = await transaction.$executeRaw`
          insert into identity.users (id, username, attributes, address_vouched_by)
          values (${id}::uuid, ${username}, ${JSON.stringify(arrival.attributes)}::jsonb, ${vouchedBy})
          on conflict do nothing`
        if (added === 0) return 'name taken'
        const user: PublicUser = { id, username, adminRole: null }
        const actor: Actor = { kind: 'user', id, name: username, ...arrival.caller }
        await addLink(transaction, arrival, id)
        await noteLogin(transaction, arrival)
        if (organizationId !== undefined) {
          await transaction.organizationMember.create({
            data: { organizationId, userId: id, role: 'member' },
          })
          await write(joinEntry(arrival, actor, organizationId))
        }
        await applyMapping(transaction, arrival, user, write)
        return { outcome: 'in', user, revocationIds: [] }
      }),

    link: (arrival, { userId, sessionDigest }) =>
      audited(async (transaction, write) => {
        const user = await lockUser(transaction, userId)
        if (user === undefined || user.disabled) return { outcome: 'session' }
        await lockPerson(transaction, arrival)
        const closed = await lockWay(transaction, arrival, 'against other changes')
        if (closed !== undefined) return { outcome: closed }
        // After the connection: whoever ends its logins locks it before the sessions.
        if (!(await hasSession(transaction, userId, sessionDigest))) return { outcome: 'session' }
        const linked = await linkedUser(transaction, arrival)
        if (linked !== undefined && linked !== userId) return { outcome: 'linked to other' }
        const { connectionId, organizationId, newUsers, name: connection } = arrival.connection
        const actor: Actor = { kind: 'user', id: userId, name: user.username, ...arrival.caller }
        if (!(await isMember(transaction, arrival, userId))) {
          // Whoever was removed does not come back by a link that they have.
          const isInvited =
            linked === undefined && newUsers === 'verified_domain' && (await isProven(transaction, arrival))
          if (organizationId === undefined || !isInvited) return { outcome: 'no member' }
          const theirs = await transaction.organizationMember.count({ where: { userId } })
          if (theirs >= organizationLimits.organizationsOfUser) return { outcome: 'full' }
          const full = await fullProblem(transaction, arrival)
          if (full !== undefined) return { outcome: full }
          await transaction.organizationMember.create({ data: { organizationId, userId, role: 'member' } })
          await write(joinEntry(arrival, actor, organizationId))
        }
        if (linked === userId) {
          await renewLink(transaction, arrival, userId)
          return { outcome: 'linked' }
        }
        if ((await transaction.connectionLink.count({ where: { userId } })) >= mostLinks)
          return { outcome: 'full' }
        await addLink(transaction, arrival, userId)
        const { issuer, subject } = arrival.person
        const after = { user_id: userId, issuer, subject }
        await write({ actor, action: 'connection.link.add', target: connectionId, after })
        const content = { connection, at: Date.now() }
        await mails.toUser(transaction, { kind: 'account_connected', userId, content })
        return { outcome: 'linked' }
      }),

    preview: (arrival) =>
      inTransaction(database, async (transaction) => {
        const userId = await linkedUser(transaction, arrival)
        const { groups, remarks } = await previewGroups(transaction, arrival)
        if (userId === undefined) {
          const problem =
            (await strangerProblem(transaction, arrival)) ?? (await fullProblem(transaction, arrival))
          return { problem, username: undefined, groups, remarks }
        }
        const user = await lockUser(transaction, userId)
        const problem = user?.disabled
          ? 'disabled'
          : (await isMember(transaction, arrival, userId))
            ? undefined
            : 'no member'
        return { problem, username: user?.username, groups, remarks }
      }),
  }
}

function joinEntry({ connection }: Arrival, actor: Actor, organizationId: string) {
  const after = { role: 'member', connection_id: connection.connectionId }
  return { actor, action: 'organization.join', target: organizationId, after }
}

async function linkedUser(
  transaction: Transaction,
  { connection, person }: Arrival,
): Promise<string | undefined> {
  const { connectionId } = connection
  const { issuer, subject } = person
  const where = { connectionId_issuer_subject: { connectionId, issuer, subject } }
  return (await transaction.connectionLink.findUnique({ where }))?.userId
}

async function lockUser(
  transaction: Transaction,
  userId: string,
): Promise<(PublicUser & { disabled: boolean }) | undefined> {
  const [user] = await transaction.$queryRawUnsafe<(PublicUser & { disabled: boolean })[]>(
    `select u.id, u.username, ${adminRoleSql('u')} as "adminRole", u.disabled_at is not null as disabled
    from identity.users u where u.id = $1::uuid for no key update`,
    userId,
  )
  return user
}

/** Two callbacks of one person wait for each other. */
async function lockPerson(transaction: Transaction, { connection, person }: Arrival): Promise<void> {
  const key = JSON.stringify(['connection link', connection.connectionId, person.issuer, person.subject])
  await transaction.$queryRaw`select pg_advisory_xact_lock(hashtextextended(${key}, 0)) is null`
}

/**
 * Locks the organization and the connection, so that neither is disabled nor changed until the transaction ends.
 * @returns why nobody gets in by it; or that it is another one than that by which the arrival was judged
 */
async function lockWay(
  transaction: Transaction,
  { connection, person }: Arrival,
  how: 'against changes of members' | 'against other changes',
): Promise<ArrivalProblem | 'changed' | undefined> {
  const { connectionId, organizationId, revision } = connection
  if (organizationId !== undefined) {
    const organization = await lockOrganization(transaction, organizationId, how, undefined)
    if (organization === undefined || organization.disabled) return 'no connection'
  }
  const [open] = await transaction.$queryRawUnsafe<{ revision: bigint }[]>(
    `select c.revision from identity.connections c
    where c.connection_id = $1 and c.disabled_at is null and ${hasIssuerSql('$2', 'c')}
    for share`,
    connectionId,
    person.issuer,
  )
  if (open === undefined) return 'no connection'
  return open.revision === revision ? undefined : 'changed'
}

/** Why a person without a link gets no user. */
async function strangerProblem(
  transaction: Transaction,
  arrival: Arrival,
): Promise<ArrivalProblem | undefined> {
  const { newUsers } = arrival.connection
  const isInvited =
    newUsers === 'always' || (newUsers === 'verified_domain' && (await isProven(transaction, arrival)))
  if (!isInvited) return 'not invited'
  return (await hasAccount(transaction, arrival)) ? 'has account' : undefined
}

/** Whether the organization has proven the domain of the address, and has not lost it. */
async function isProven(transaction: Transaction, { connection, address }: Arrival): Promise<boolean> {
  const { organizationId } = connection
  const { domain } = address ?? {}
  if (organizationId === undefined || domain === undefined) return false
  const where = { organizationId, domain, provenAt: { not: null }, lostAt: null }
  return (await transaction.organizationDomain.count({ where })) > 0
}

/** Whether a user has the address, verified. */
async function hasAccount(transaction: Transaction, { address }: Arrival): Promise<boolean> {
  if (address === undefined) return false
  const [{ has } = { has: false }] = await transaction.$queryRaw<{ has: boolean }[]>`
    select exists (
      select from identity.users k
      where lower(k.attributes ->> 'email') = lower(${address.email}) and k.attributes -> 'email_verified' = 'true'::jsonb
    ) as has`
  return has
}

async function fullProblem(transaction: Transaction, { connection }: Arrival): Promise<'full' | undefined> {
  const { organizationId } = connection
  if (organizationId === undefined) return undefined
  const members = await transaction.organizationMember.count({ where: { organizationId } })
  return members >= organizationLimits.members ? 'full' : undefined
}

/** Whether a user belongs to the organization of a connection; to the instance everybody does. */
async function isMember(transaction: Transaction, { connection }: Arrival, userId: string): Promise<boolean> {
  const { organizationId } = connection
  if (organizationId === undefined) return true
  return (await transaction.organizationMember.count({ where: { organizationId, userId } })) > 0
}

async function hasSession(transaction: Transaction, userId: string, secretDigest: Buffer): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    select from identity.sessions
    where secret_digest = ${secretDigest} and user_id = ${userId}::uuid and expires_at > now() for share`
  return rows.length > 0
}

async function addLink(
  transaction: Transaction,
  { connection, person }: Arrival,
  userId: string,
): Promise<void> {
  const { connectionId } = connection
  await transaction.connectionLink.create({ data: { connectionId, ...person, userId } })
}

/** Notes a login, and gives a user of the instance the vouched attributes that they never had, as a social login does. */
async function renewLink(transaction: Transaction, arrival: Arrival, userId: string) {
  await noteLogin(transaction, arrival)
  const { connection, attributes } = arrival
  // An organization vouches for nothing about a user who was not made by it.
  if (connection.organizationId !== undefined) return
  await transaction.$executeRawUnsafe(fillAttributesSql, userId, JSON.stringify(attributes))
}

async function noteLogin(transaction: Transaction, { connection, person }: Arrival): Promise<void> {
  const { displayName, issuer, subject } = person
  await transaction.$executeRaw`
    update identity.connection_links set display_name = ${displayName}, last_login_at = now()
    where connection_id = ${connection.connectionId} and issuer = ${issuer} and subject = ${subject}`
}
