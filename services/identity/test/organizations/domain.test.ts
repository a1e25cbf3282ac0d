import { randomBytes, randomUUID } from 'node:crypto'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { organizationLimits } from '@gatehouse/proto/organizations'
import { type DnsServer, startDnsServer } from '@gatehouse/test/servers/dns-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addDomain,
  type DomainDeps,
  listDomains,
  proveDomain,
  removeDomain,
  stateOf,
} from '../../src/organizations/domain.ts'
import { createDomainChecks } from '../../src/organizations/domain-checks.ts'
import { recordOf } from '../../src/organizations/domain-name.ts'
import { createRecordSearch } from '../../src/organizations/domain-record.ts'
import { mailWriter } from '../../src/store/mail/mails.ts'
import { createDomainStore } from '../../src/store/organizations/domains.ts'
import { actor } from '../store/replica.ts'
import { keepEvents, storedEvents } from '../store/stored-events.ts'
import { useInvitations } from './inviting.ts'
import { addOrganization, setMembers } from './organizations.ts'

const { shared, mailbox, addPerson } = useInvitations()
let dns: DnsServer
beforeAll(async () => {
  dns = await startDnsServer()
})
afterAll(() => dns.close())

const deps = (): DomainDeps => {
  const { database, organizations } = shared.replica()
  return {
    ...organizations,
    domains: createDomainStore(database, { keepEvent: keepEvents, mails: mailWriter }),
    searchRecord: createRecordSearch([dns.authority]),
    randomBytes,
  }
}
const newDomain = () => `d-${randomUUID()}.example.com`
const organizationWith = async (members = {}) =>
  (await addOrganization(shared.replica(), members)).organizationId
const add = (organizationId: string, domain = newDomain()) =>
  addDomain({ organizationId, domain }, actor, deps())
const check = (organizationId: string, domain: string) =>
  proveDomain({ organizationId, domain }, actor, deps())
const stateIn = async (organizationId: string) => (await listDomains(organizationId, deps())).map(stateOf)
const hasRecord = (added: Parameters<typeof recordOf>[0], there = true) => {
  const { name, value } = recordOf(added)
  dns.setTexts(name, 'v=spf1 -all', ...(there ? [value] : []))
}
/** Lets the last look at a domain be a while ago. */
const later = (domain: string, interval = '11 seconds') =>
  shared.query(
    `update identity.organization_domains set checked_at = checked_at - $2::interval, check_due_at = check_due_at - $2::interval,
      missing_since = missing_since - $2::interval where domain = $1`,
    [domain, interval],
  )
const eventsOf = async (domain: string) => (await storedEvents(shared.query, domain)).map(({ type }) => type)
/** The daily look of the elected replica. */
const look = (elected = true) => {
  const { log, lines } = recordedLog()
  const checks = createDomainChecks({ ...deps(), isElected: async () => elected, log })
  return checks().then(() => lines)
}
/** A domain that its organization has proven, with an owner. */
async function proven() {
  const owner = await addPerson()
  const organizationId = await organizationWith({ [owner.id]: 'owner' })
  const added = await add(organizationId)
  hasRecord(added)
  await check(organizationId, added.domain)
  return { ...added, organizationId, owner }
}

describe('a domain', () => {
  test('is proven by a TXT record with the value of this organization alone', async () => {
    const [one, two] = [await organizationWith(), await organizationWith()]
    const domain = newDomain()
    const [mine, other] = [await add(one, domain), await add(two, domain)]
    expect(recordOf(mine)).toEqual({
      name: `_gatehouse-challenge.${domain}`,
      value: `gatehouse-domain-verification=${mine.challenge}`,
    })
    expect(mine.challenge).toMatch(/^[\w-]{22}$/)
    const { reason, problem } = await check(one, domain)
    expect(problem).toBe('missing')
    expect(reason).toMatch(/^There is no TXT record _gatehouse-challenge\./)
    expect(await stateIn(one)).toEqual(['unproven'])
    hasRecord(other)
    await later(domain)
    expect((await check(one, domain)).reason).toBeDefined()
    hasRecord(mine)
    await later(domain)
    expect(await check(one, domain)).toEqual({ domain: expect.objectContaining({ domain }) })
    expect([await stateIn(one), await stateIn(two)]).toEqual([['proven'], ['unproven']])
    expect((await shared.auditOf(one)).map(({ action }) => action).slice(-2)).toEqual([
      ...['organization.domain.add', 'organization.domain.prove'],
    ])
  })

  test('belongs to whoever proves it first, also when two do at once, until it is removed', async () => {
    const ids = [await organizationWith(), await organizationWith()]
    const domain = newDomain()
    const added = await Promise.all(ids.map((id) => add(id, domain)))
    dns.setTexts(`_gatehouse-challenge.${domain}`, ...added.map((each) => recordOf(each).value))
    const checked = await Promise.all(ids.map((id) => check(id, domain)))
    const [winner, loser] = checked[0]?.reason === undefined ? ids : ids.toReversed()
    expect(checked.filter(({ reason }) => reason === undefined)).toHaveLength(1)
    expect(checked.find(({ reason }) => reason !== undefined)?.reason).toMatch(
      /another organization has proven/,
    )
    await removeDomain({ organizationId: winner ?? '', domain }, actor, deps())
    await later(domain)
    expect((await check(loser ?? '', domain)).reason).toBeUndefined()
    expect(await stateIn(winner ?? '')).toEqual([])
  })

  test('stays as it was when it is added again, and has another value once it was removed', async () => {
    const organizationId = await organizationWith()
    const { domain, challenge } = await add(organizationId)
    expect((await add(organizationId, `${domain.toUpperCase()}.`)).challenge).toBe(challenge)
    await removeDomain({ organizationId, domain }, actor, deps())
    expect((await add(organizationId, domain)).challenge).not.toBe(challenge)
  })

  test('is looked for once in ten seconds, and unknown ones not at all', async () => {
    const organizationId = await organizationWith()
    const { domain } = await add(organizationId)
    await check(organizationId, domain)
    await expect(check(organizationId, domain)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    const asked = dns.queriesOf(`_gatehouse-challenge.${domain}`)
    for (const unknown of [newDomain(), '', "'", `_x.${domain}`])
      await expect(check(organizationId, unknown)).rejects.toMatchObject({ code: 'not_found' })
    await expect(check(await organizationWith(), domain)).rejects.toMatchObject({ code: 'not_found' })
    expect(dns.queriesOf(`_gatehouse-challenge.${domain}`)).toBe(asked)
  })

  test('is changed by owners and admins of its organization alone', async () => {
    const [admin, member, stranger] = await Promise.all([1, 2, 3].map(() => addPerson()))
    const organizationId = await organizationWith()
    await setMembers(shared.replica(), organizationId, {
      ...{ [admin?.id ?? '']: 'admin', [member?.id ?? '']: 'member' },
    })
    const domain = newDomain()
    const which = { organizationId, domain }
    await addDomain(which, actor, deps(), admin?.id)
    for (const [id, code] of [
      [member?.id, 'access_denied'],
      [stranger?.id, 'not_found'],
    ])
      for (const change of [addDomain, proveDomain, removeDomain])
        await expect(change(which, actor, deps(), id)).rejects.toMatchObject({ code })
    await removeDomain(which, actor, deps(), admin?.id)
  })

  test('is one of a limited number', async () => {
    const organizationId = await organizationWith()
    await shared.query(
      `insert into identity.organization_domains (organization_id, domain, challenge)
      select $1, n || '.example.com', 'x' from generate_series(1, $2::int) n`,
      [organizationId, organizationLimits.domains],
    )
    await expect(add(organizationId)).rejects.toThrow(/Remove one first/)
    await add(organizationId, '1.example.com')
  })
})

describe('a DNS', () => {
  test('that fails or is silent takes nothing away, and is asked again in an hour', async () => {
    const { organizationId, domain, challenge } = await proven()
    const { name } = recordOf({ domain, challenge })
    dns.setFailing(name, true)
    await later(domain, '30 days')
    expect(await look()).toMatchObject([{ msg: expect.stringContaining('did not say') }])
    expect(await stateIn(organizationId)).toEqual(['proven'])
    const [due] = await shared.query(
      'select check_due_at < now() + interval $$61 minutes$$ as soon from identity.organization_domains where domain = $1',
      [domain],
    )
    expect(due?.soon).toBe(true)
    await later(domain)
    expect((await check(organizationId, domain)).reason).toMatch(/^The DNS did not answer \(ESERVFAIL\)/)
    dns.setFailing(name, false)
    dns.silence(name)
    await later(domain)
    expect((await check(organizationId, domain)).reason).toMatch(/^The DNS did not answer \(E/)
    expect(await stateIn(organizationId)).toEqual(['proven'])
  })

  test('may cut long texts into pieces', async () => {
    const value = 'x'.repeat(600)
    dns.setTexts('long.example.com', value)
    const search = createRecordSearch([dns.authority])
    expect(await search({ name: 'long.example.com', value })).toEqual({ outcome: 'found' })
    expect(await search({ name: 'long.example.com', value: `${value}x` })).toEqual({ outcome: 'missing' })
  })
})

describe('the daily look', () => {
  test('is the elected replica’s, and at domains that are due', async () => {
    const { domain, organizationId, challenge } = await proven()
    const { name } = recordOf({ domain, challenge })
    const asked = dns.queriesOf(name)
    await look()
    await later(domain, '27 hours')
    await look(false)
    expect(dns.queriesOf(name)).toBe(asked)
    await look()
    expect(dns.queriesOf(name)).toBe(asked + 1)
    expect(await stateIn(organizationId)).toEqual(['proven'])
  })

  test('tells the owners of a missing record, and of a lost domain after a week', async () => {
    const { domain, organizationId, challenge, owner } = await proven()
    hasRecord({ domain, challenge }, false)
    await later(domain, '27 hours')
    await look()
    expect(await stateIn(organizationId)).toEqual(['missing'])
    const missing = await mailbox.mailFor(owner.email)
    expect(missing.subject).toBe('The DNS record of your domain is missing at Gatehouse')
    expect(missing.text).toContain(`Domain: ${domain.replaceAll('.', '.\u200b')}`)
    expect(await eventsOf(domain)).toEqual(['organization_domain_proven'])
    for (let day = 0; day < 6; day += 1) {
      await later(domain, '27 hours')
      await look()
    }
    expect(await stateIn(organizationId)).toEqual(['missing'])
    expect(await mailbox.arriving(owner.email)).toEqual([])
    await later(domain, '27 hours')
    await look()
    expect(await stateIn(organizationId)).toEqual(['lost'])
    const lost = await mailbox.mailFor(owner.email)
    expect(lost.subject).toBe('Your organization has lost a domain at Gatehouse')
    await later(domain, '27 hours')
    await look()
    expect(await mailbox.arriving(owner.email)).toEqual([])
    const events = ['organization_domain_proven', 'organization_domain_lost']
    expect(await eventsOf(domain)).toEqual(events)
    hasRecord({ domain, challenge })
    await check(organizationId, domain)
    await later(domain, '27 hours')
    await look()
    expect(await stateIn(organizationId)).toEqual(['proven'])
    expect(await eventsOf(domain)).toEqual([...events, 'organization_domain_proven'])
  })

  test('alone says that a record is missing: people who look take nothing away, and write no mail', async () => {
    const { domain, organizationId, challenge, owner } = await proven()
    const setAndCheck = async (there: boolean) => {
      hasRecord({ domain, challenge }, there)
      await later(domain)
      return (await check(organizationId, domain)).problem
    }
    expect([await setAndCheck(false), await setAndCheck(true), await setAndCheck(false)]).toEqual([
      ...['missing', undefined, 'missing'],
    ])
    expect(await stateIn(organizationId)).toEqual(['proven'])
    expect(await mailbox.arriving(owner.email)).toEqual([])
    await later(domain, '27 hours')
    await look()
    await later(domain, '8 days')
    await check(organizationId, domain)
    expect(await stateIn(organizationId)).toEqual(['missing'])
    await setAndCheck(true)
    expect(await stateIn(organizationId)).toEqual(['proven'])
  })

  test('says nothing when the record is back in time', async () => {
    const { domain, organizationId, challenge } = await proven()
    hasRecord({ domain, challenge }, false)
    await later(domain, '27 hours')
    await look()
    hasRecord({ domain, challenge })
    await later(domain, '27 hours')
    await look()
    expect(await stateIn(organizationId)).toEqual(['proven'])
  })
})

test('a lost domain is another organization’s to prove, and the first one gets it back only after that one', async () => {
  const { domain, organizationId, challenge } = await proven()
  const second = await organizationWith()
  const theirs = await add(second, domain)
  dns.setTexts(`_gatehouse-challenge.${domain}`, recordOf(theirs).value)
  expect((await check(second, domain)).reason).toMatch(/another organization has proven/)
  for (const interval of ['27 hours', '8 days']) {
    await later(domain, interval)
    await look()
  }
  expect(await stateIn(organizationId)).toEqual(['lost'])
  expect((await check(second, domain)).reason).toBeUndefined()
  hasRecord({ domain, challenge })
  await later(domain)
  expect((await check(organizationId, domain)).reason).toMatch(/another organization has proven/)
  expect(await stateIn(organizationId)).toEqual(['lost'])
})
