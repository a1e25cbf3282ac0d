import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isOrganizationId, organizationLimits } from '@gatehouse/proto/organizations'
import type { RandomBytes } from '../basics/secret.ts'
import { type ActingMember, type CheckOrganization, checkOrganizationReach, checkRuns } from './acting.ts'
import { isDomain, readDomain, recordOf } from './domain-name.ts'
import type { RecordSearch } from './domain-record.ts'
import { getOrganization, type OrganizationStore, unknownOrganization } from './organization.ts'

/** A domain of an organization. */
export type OrganizationDomain = {
  domain: string
  challenge: string
  addedAt: Date
  /** undefined: it never was. */
  provenAt: Date | undefined
  checkedAt: Date | undefined
  /** Since when the record of a proven domain is missing. */
  missingSince: Date | undefined
  lostAt: Date | undefined
}

/** The state of a domain. `unproven`: nothing was proven yet. */
export type DomainState = 'unproven' | 'proven' | 'missing' | 'lost'

/** Why a domain is not proven: its record is not there, another organization has proven it, or the DNS has not answered. */
export type DomainProblem = 'missing' | 'taken' | 'no answer'

/** The meaning of a look at its record for a domain. `taken`: another organization has proven it. */
export type CheckedDomain = { domain: OrganizationDomain; taken: boolean }

/** Stores the domains of organizations. Each change by people writes an audit entry in the same transaction. */
export type DomainStore = {
  /** By name. */
  list(organizationId: string): Promise<OrganizationDomain[]>
  /** @returns the domain, which may be there already */
  add(
    organizationId: string,
    domain: { domain: string; challenge: string },
    actor: Actor,
    check: CheckOrganization,
    actingMember: ActingMember,
  ): Promise<OrganizationDomain | 'unknown' | 'too many'>
  /** Notes that the record is looked for now. @returns what is looked for; `too soon` right after the last time */
  beginCheck(
    organizationId: string,
    domain: string,
    check: CheckOrganization,
    actingMember: ActingMember,
  ): Promise<OrganizationDomain | 'unknown' | 'no domain' | 'too soon'>
  /**
   * Stores what a look at a record found, unless the domain was removed meanwhile. Only the daily look stores that it is missing: the
   * owners get a mail the first time, and when the domain is lost.
   * @param actor whoever looked; undefined for the daily look
   */
  endCheck(
    organizationId: string,
    domain: Pick<OrganizationDomain, 'domain' | 'challenge'>,
    found: boolean,
    actor: Actor | undefined,
  ): Promise<CheckedDomain | 'gone'>
  /** Takes proven domains whose records are due to be looked at, for an hour: after that another replica may. */
  takeDue(most: number): Promise<{ organizationId: string; domain: OrganizationDomain }[]>
  /**
   * Makes addresses unverified for which an organization vouched in a domain that it has lost in the last week. `endCheck` does so itself;
   * a process of an earlier version that loses a domain beside this one does not know of them.
   */
  endLostVouching(): Promise<void>
  remove(
    organizationId: string,
    domain: string,
    actor: Actor,
    check: CheckOrganization,
    actingMember: ActingMember,
  ): Promise<'removed' | 'unknown' | 'no domain'>
}

/** The needs of working with domains. */
export type DomainDeps = {
  domains: DomainStore
  organizations: Pick<OrganizationStore, 'get'>
  searchRecord: RecordSearch
  randomBytes: RandomBytes
}

/** The state of a domain. */
export function stateOf({ provenAt, missingSince, lostAt }: OrganizationDomain): DomainState {
  if (provenAt === undefined) return 'unproven'
  if (lostAt !== undefined) return 'lost'
  return missingSince === undefined ? 'proven' : 'missing'
}

/** The domains of an organization by name. @throws Refusal not_found */
export async function listDomains(
  organizationId: string,
  { domains, organizations }: Pick<DomainDeps, 'domains' | 'organizations'>,
): Promise<OrganizationDomain[]> {
  const found = await getOrganization(organizationId, organizations)
  return domains.list(found.organizationId)
}

/**
 * Adds a domain that the organization must prove. Until then it reserves nothing.
 * @throws Refusal not_found; access_denied for what the actor may not do; invalid_request for what is no domain, a public suffix, and too many
 */
export async function addDomain(
  { organizationId, domain: typed }: { organizationId: string; domain: string },
  actor: Actor,
  { domains, randomBytes }: Pick<DomainDeps, 'domains' | 'randomBytes'>,
  actingMember?: ActingMember,
): Promise<OrganizationDomain> {
  const domain = readDomain(typed)
  // 128 bits; each organization has another value, so that the record of one proves nothing for the next.
  const challenge = randomBytes(16).toString('base64url')
  const added = isOrganizationId(organizationId)
    ? await domains.add(organizationId, { domain, challenge }, actor, checkFor(actor), actingMember)
    : 'unknown'
  if (added === 'unknown') throw unknownOrganization()
  if (added === 'too many')
    throw new Refusal(
      'invalid_request',
      `The organization has ${organizationLimits.domains} domains, the most there may be. Remove one first.`,
    )
  return added
}

/**
 * Looks for the record that proves a domain, now.
 * @returns the domain, and why it is not proven, as a sentence
 * @throws Refusal not_found; access_denied for what the actor may not do; rate_limit_exceeded right after the last time
 */
export async function proveDomain(
  { organizationId, domain }: { organizationId: string; domain: string },
  actor: Actor,
  { domains, searchRecord }: Pick<DomainDeps, 'domains' | 'searchRecord'>,
  actingMember?: ActingMember,
): Promise<{ domain: OrganizationDomain; reason?: string; problem?: DomainProblem }> {
  const begun =
    isOrganizationId(organizationId) && isDomain(domain)
      ? await domains.beginCheck(organizationId, domain, checkFor(actor), actingMember)
      : 'no domain'
  if (begun === 'unknown') throw unknownOrganization()
  if (begun === 'no domain') throw unknownDomain()
  if (begun === 'too soon')
    throw new Refusal('rate_limit_exceeded', 'The record was looked for just now. Try again in ten seconds.')
  const record = recordOf(begun)
  const search = await searchRecord(record)
  if (search.outcome === 'failed') {
    const reason = `The DNS did not answer (${search.code}). Try again later.`
    return { domain: begun, reason, problem: 'no answer' }
  }
  const checked = await domains.endCheck(organizationId, begun, search.outcome === 'found', actor)
  if (checked === 'gone') throw unknownDomain()
  if (search.outcome === 'missing') {
    const reason = `There is no TXT record ${record.name} with the value ${record.value}. A new one may take an hour to be seen.`
    return { domain: checked.domain, reason, problem: 'missing' }
  }
  return checked.taken
    ? { domain: checked.domain, reason: takenBy, problem: 'taken' }
    : { domain: checked.domain }
}

const takenBy =
  'The record is there, but another organization has proven this domain. It must remove the domain first.'

/**
 * Removes a domain. Another organization may prove it then.
 * @throws Refusal not_found; access_denied for what the actor may not do
 */
export async function removeDomain(
  { organizationId, domain }: { organizationId: string; domain: string },
  actor: Actor,
  { domains }: Pick<DomainDeps, 'domains'>,
  actingMember?: ActingMember,
): Promise<void> {
  const removed =
    isOrganizationId(organizationId) && isDomain(domain)
      ? await domains.remove(organizationId, domain, actor, checkFor(actor), actingMember)
      : 'no domain'
  if (removed === 'unknown') throw unknownOrganization()
  if (removed === 'no domain') throw unknownDomain()
}

const checkFor =
  (actor: Actor): CheckOrganization =>
  (organization) => {
    checkRuns(organization)
    checkOrganizationReach(organization, actor)
  }

function unknownDomain(): Refusal {
  return new Refusal('not_found', 'The organization has no such domain.')
}
