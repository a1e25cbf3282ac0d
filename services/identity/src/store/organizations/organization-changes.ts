import { randomUUIDv7 } from 'node:crypto'
import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { organizationIdPrefix, organizationLimits } from '@gatehouse/proto/organizations'
import type { Organization } from '../../organizations/organization.ts'
import type { OrganizationChange, OrganizationChangeStore } from '../../organizations/organization-change.ts'
import type { OrganizationSettings } from '../../organizations/organization-fields.ts'
import { createEndOrganizationLogins } from '../connection-ends.ts'
import { lockOrganization } from './locked-organization.ts'
import { createDeleteOrganization } from './organization-deletions.ts'
import { toOrganization } from './organizations.ts'

type Transaction = Prisma.TransactionClient

/** Prisma's error code for a duplicate key. The slug is the only one that people choose. */
const uniqueViolation = 'P2002'

/**
 * The organizations in PostgreSQL, as people change them.
 * @param options recorded: whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createOrganizationChangeStore(
  database: Pick<Database, 'prisma'>,
  { keepEvent, recorded }: { keepEvent: KeepEvent; recorded: boolean },
): OrganizationChangeStore {
  const endLogins = createEndOrganizationLogins(recorded)
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    create: (settings, actor) =>
      audited(async (transaction, write) => {
        // Nobody else creates one until the transaction ends, so there are never too many.
        await transaction.$executeRaw`lock table identity.organizations in share row exclusive mode`
        if (
          (await transaction.organization.count({ where: { deletedAt: null } })) >=
          organizationLimits.organizations
        )
          return 'too many'
        const organizationId = `${organizationIdPrefix}${randomUUIDv7()}`
        const row = await transaction.organization.create({
          data: { organizationId, ...columnsOf(settings) },
        })
        const organization = toOrganization(row)
        await write({
          ...{ actor, action: 'organization.create', target: organizationId },
          after: { slug: settings.slug, ...differences({ disabled: false }, stateOf(organization)).after },
        })
        return organization
      }).catch(slugTaken),

    change: (organizationId, { revision, disabled, ...wanted }, actor, check, actingMember) =>
      audited(async (transaction, write) => {
        const locked = await lockOrganization(
          transaction,
          organizationId,
          'against other changes',
          actingMember,
        )
        if (locked === undefined) return 'unknown' as const
        check(locked)
        const organization = await find(transaction, organizationId)
        if (revision !== 0n && revision !== organization.revision) return 'outdated' as const
        const state = stateOf(organization)
        const { before, after } = differences(state, {
          ...state,
          ...apiNames(wanted),
          ...(disabled !== undefined && { disabled }),
        })
        if (Object.keys(after).length === 0) return { organization, revocationIds: [] }
        const row = await transaction.organization.update({
          where: { organizationId },
          data: {
            ...columnsOf(wanted),
            ...('disabled' in after && { disabledAt: disabled ? new Date() : null }),
            revision: { increment: 1 },
          },
        })
        await write({ actor, action: 'organization.update', target: organizationId, before, after })
        if (after.disabled !== true) return { organization: toOrganization(row), revocationIds: [] }
        const sessionIds = await endLogins(transaction, { organizationId })
        const ended = { kind: 'organization', target: organizationId } as const
        const revocationIds = [...sessionIds, await addPendingRevocation(transaction, 'identity', ended)]
        return { organization: toOrganization(row), revocationIds }
      }).catch(slugTaken),

    delete: createDeleteOrganization(audited, keepEvent, endLogins),
  }
}

function slugTaken(error: unknown): 'slug taken' {
  if ((error as { code?: unknown }).code === uniqueViolation) return 'slug taken'
  throw error
}

async function find(transaction: Transaction, organizationId: string): Promise<Organization> {
  return toOrganization(await transaction.organization.findUniqueOrThrow({ where: { organizationId } }))
}

/** The columns of settings. Those that are absent stay as they are; a logo or a color that is undefined is removed. */
function columnsOf<Settings extends Partial<OrganizationSettings>>(settings: Settings) {
  const { logoUri, color, ...others } = settings
  return {
    ...others,
    ...('logoUri' in settings && { logoUri: logoUri ?? null }),
    ...('color' in settings && { color: color ?? null }),
  }
}

type State = Readonly<Record<string, unknown>>

/** An organization as the audit log has it. */
function stateOf({ disabledAt, ...settings }: Organization): State {
  return apiNames({ ...settings, disabled: disabledAt !== undefined })
}

const names = {
  slug: 'slug',
  name: 'name',
  logoUri: 'logo_uri',
  color: 'color',
  attributes: 'attributes',
  secondFactorRequired: 'second_factor_required',
  ssoRequired: 'sso_required',
  disabled: 'disabled',
} as const satisfies Record<keyof Omit<OrganizationChange, 'revision'>, string>

function apiNames(fields: Partial<Omit<OrganizationChange, 'revision'>>): State {
  const known = Object.entries(names).filter(([name]) => name in fields)
  return Object.fromEntries(known.map(([name, apiName]) => [apiName, fields[name as keyof typeof names]]))
}

/** The fields that differ. */
function differences(was: State, is: State) {
  const differing = Object.keys({ ...was, ...is }).filter(
    (name) => JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null),
  )
  const only = (state: State): State =>
    Object.fromEntries(differing.map((name) => [name, state[name] ?? null]))
  return { before: only(was), after: only(is) }
}
