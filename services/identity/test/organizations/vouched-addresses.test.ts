import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepNothing } from '@gatehouse/data/pending-events'
import { describe, expect, test } from 'vitest'
import { confirmAddress, requestAddressConfirmation } from '../../src/accounts/address-confirmation.ts'
import { getMailLink } from '../../src/accounts/mail-link.ts'
import { requestPasswordReset } from '../../src/accounts/password-recovery.ts'
import { removeDomain } from '../../src/organizations/domain.ts'
import { domainOfAddress } from '../../src/organizations/domain-name.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { mailWriter } from '../../src/store/mail/mails.ts'
import { createDomainStore } from '../../src/store/organizations/domains.ts'
import { lockOrganization } from '../../src/store/organizations/locked-organization.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { mailDeps } from '../store/mail/mails.ts'
import { actor } from '../store/replica.ts'
import { useInvitations } from './inviting.ts'
import { addOrganization } from './organizations.ts'

const { shared, mailbox, addPerson } = useInvitations()
const domains = () =>
  createDomainStore(shared.replica().database, { keepEvent: keepNothing, mails: mailWriter })

/** An organization with a proven domain, and a user for whose address in it the organization alone vouches. */
async function vouched(domain = `d-${randomUUID().slice(0, 8)}.example.com`, typed = domain) {
  const { organizationId } = await addOrganization(shared.replica())
  await shared.query(
    `insert into identity.organization_domains (organization_id, domain, challenge, proven_at) values ($1, $2, 'x', now())`,
    [organizationId, domain],
  )
  const addUser = async (email: string) => {
    const user = await addPerson(email)
    const sql = 'update identity.users set address_vouched_by = $2 where id = $1'
    await shared.query(sql, [user.id, organizationId])
    return user
  }
  return { organizationId, domain, addUser, user: await addUser(`ann@${typed}`) }
}
type World = Awaited<ReturnType<typeof vouched>>

const stateOf = async (userId: string) => {
  const [user] = await shared.query(
    `select attributes -> 'email_verified' as verified, address_vouched_by as by, attributes_updated_at > now() - interval '1 minute' as told
    from identity.users where id = $1`,
    [userId],
  )
  return user
}
const told = (userIds: string[]) =>
  shared.query(
    `update identity.users set attributes_updated_at = now() - interval '1 hour' where id = any($1)`,
    [userIds],
  )

/** The daily look that finds no record, for the first time or after more than a week. */
async function lookInVain({ organizationId, domain }: World, days: number) {
  await shared.query(
    `update identity.organization_domains set missing_since = now() - make_interval(days => $2) where domain = $1 and $2 > 0`,
    [domain, days],
  )
  await domains().endCheck(organizationId, { domain, challenge: 'x' }, false, undefined)
}
const remove = ({ organizationId, domain }: World) =>
  removeDomain({ organizationId, domain }, actor, { domains: domains() })

describe('an address for which an organization alone vouches', () => {
  test.each<[string, (world: World) => Promise<unknown>]>([
    ['its domain is lost', (world) => lookInVain(world, 8)],
    ['its domain is removed', remove],
    [
      'the organization is deleted',
      ({ organizationId }) => deleteOrganization(organizationId, actor, shared.replica().organizations),
    ],
  ])('is no longer verified once %s, and resets no password', async (_, end) => {
    const world = await vouched()
    const { user } = world
    await requestPasswordReset(
      { username: user.email, language: 'en', returnTo: undefined },
      mailDeps(shared.replica()).recovery,
    )
    const { secret } = await mailbox.oneFor(user.email)
    const link = () => getMailLink({ secret, purpose: 'password_reset' }, mailDeps(shared.replica()).links)
    expect(await link()).toBeDefined()
    await told([user.id])
    await end(world)
    expect(await stateOf(user.id)).toEqual({ verified: false, by: null, told: true })
    expect(await link()).toBeUndefined()
  })

  test('is no longer verified either once a process of an earlier version has lost the domain', async () => {
    const world = await vouched()
    const other = await world.addUser('ben@other.example.com')
    await shared.query('update identity.organization_domains set lost_at = now() where domain = $1', [
      world.domain,
    ])
    for (let time = 0; time < 2; time += 1) await domains().endLostVouching()
    expect(await stateOf(world.user.id)).toMatchObject({ verified: false, by: null })
    expect(await stateOf(other.id)).toMatchObject({ verified: true, by: world.organizationId })
  })

  test('stays verified while the record is merely missing, and when another domain is removed', async () => {
    const world = await vouched()
    const other = await world.addUser('ben@other.example.com')
    await lookInVain(world, 0)
    expect(await stateOf(world.user.id)).toMatchObject({ verified: true, by: world.organizationId })
    await remove(world)
    expect(await stateOf(other.id)).toMatchObject({ verified: true, by: world.organizationId })
  })

  test('is unverified also when its user is added while the domain is being lost', async () => {
    const world = await vouched()
    const { organizationId } = world
    const id = randomUUID()
    const attributes = { email: `eve@${world.domain}`, email_verified: true }
    let lost: Promise<unknown> | undefined
    await shared.another().database.prisma.$transaction(async (transaction) => {
      await lockOrganization(transaction, organizationId, 'against other changes', undefined)
      lost = lookInVain(world, 8)
      await sleep(200)
      await transaction.user.create({
        data: { id, username: `user-${id}`, attributes, addressVouchedBy: organizationId },
      })
    })
    await lost
    expect(await stateOf(id)).toMatchObject({ verified: false, by: null })
  })

  test('is found by its domain, however it is written', async () => {
    const domain = `xn--bcher-kva.d-${randomUUID().slice(0, 8)}.example`
    const world = await vouched(domain, domain.replace('xn--bcher-kva', 'Bücher'))
    await remove(world)
    expect(await stateOf(world.user.id)).toMatchObject({ verified: false, by: null })
  })

  test('is theirs once they have confirmed it', async () => {
    const world = await vouched()
    const { email, id, session } = world.user
    const { confirmation } = mailDeps(shared.replica())
    await shared.query(
      `update identity.users set attributes = attributes || '{"email_verified": false}' where id = $1`,
      [id],
    )
    await requestAddressConfirmation(
      { sessionSecret: session, address: undefined, language: 'en' },
      confirmation,
    )
    const { secret } = await mailbox.oneFor(email)
    expect(await confirmAddress(secret, confirmation)).toBe(true)
    await remove(world)
    expect(await stateOf(id)).toMatchObject({ verified: true, by: null })
  })

  test('is the administrators’ word once they have set it, and not when they change something else', async () => {
    const world = await vouched()
    const { id: userId, email } = world.user
    const change = (attributes: object) =>
      updateUser({ userId, attributes: { ...attributes } }, actor, shared.replica().admin.changes)
    await change({ name: 'Ann', email, email_verified: true })
    expect(await stateOf(userId)).toMatchObject({ by: world.organizationId })
    await change({ email: `anna@${world.domain}`, email_verified: true })
    expect(await stateOf(userId)).toMatchObject({ by: null })
    await remove(world)
    expect(await stateOf(userId)).toMatchObject({ verified: true, by: null })
  })
})

test.each([
  ['ann@Example.COM', 'example.com'],
  ['"a@b"@example.com', 'example.com'],
  ['ann@bücher.example', 'xn--bcher-kva.example'],
  ['ann@', undefined],
  ['ann@[192.0.2.1]', undefined],
])('the domain of %s is %s', (address, domain) => {
  expect(domainOfAddress(address)).toBe(domain)
})
