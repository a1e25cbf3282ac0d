import { organizationLimits } from '@gatehouse/proto/organizations'
import { describe, expect, test } from 'vitest'
import { completeSignUp } from '../../src/accounts/sign-up.ts'
import { getInvitation, listInvitations } from '../../src/organizations/invitation.ts'
import { sendInvitationAgain, withdrawInvitation } from '../../src/organizations/invitation-change.ts'
import { signUpForm } from '../accounts/signing-up.ts'
import { outOfReach, support } from '../groups/groups.ts'
import { mailDeps, newAddress } from '../store/mail/mails.ts'
import { actor } from '../store/replica.ts'
import { useInvitations } from './inviting.ts'
import { addOrganization, setMembers } from './organizations.ts'

const { shared, mailbox, deps, addPerson, invite, invited, accept, roleOf } = useInvitations()
const organizationWith = async (members = {}, changes = {}) =>
  (await addOrganization(shared.replica(), members, changes)).organizationId
const listed = async (organizationId: string) =>
  (await listInvitations({ organizationId, limit: 200 }, deps())).items

describe('invitations are limited', () => {
  test('to five mails to an address in an hour, whatever organizations they are to', async () => {
    const address = newAddress()
    for (let count = 0; count < 5; count += 1) await invite(await organizationWith(), { address })
    const organizationId = await organizationWith()
    await expect(invite(organizationId, { address })).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    expect(await listed(organizationId)).toEqual([])
  })

  test('to so many mails of an organization on a day', async () => {
    const organizationId = await organizationWith()
    const { invitationId } = await invite(organizationId)
    await shared.query('update identity.organizations set invitation_mails = $2 where organization_id = $1', [
      ...[organizationId, organizationLimits.invitationMailsInDay],
    ])
    await expect(invite(organizationId)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    await expect(sendInvitationAgain({ organizationId, invitationId }, actor, deps())).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    })
    await shared.query(
      'update identity.organizations set invitation_day = invitation_day - 1 where organization_id = $1',
      [organizationId],
    )
    await invite(organizationId)
  })

  test('to so many open ones; those that are too old do not count', async () => {
    const organizationId = await organizationWith()
    await shared.query(
      `insert into identity.organization_invitations
        (invitation_id, organization_id, address, role, language, inviter_name, expires_at)
      select gen_random_uuid(), $1, 'full' || n || '@example.com', 'member', 'en', 'root', now() + interval '1 day'
      from generate_series(1, $2::int) n`,
      [organizationId, organizationLimits.invitations],
    )
    await expect(invite(organizationId)).rejects.toThrow(/Withdraw one first/)
    // One in the place of another is no new one.
    await invite(organizationId, { address: 'FULL1@example.com' })
    await shared.query(
      `update identity.organization_invitations set expires_at = now()
      where organization_id = $1 and address = 'full2@example.com'`,
      [organizationId],
    )
    await invite(organizationId)
  })

  test('to as many organizations as a user may be in', async () => {
    const person = await addPerson()
    await shared.query(
      `with made as (
        insert into identity.organizations (organization_id, slug, name)
        select 'org_' || gen_random_uuid(), 'full-' || gen_random_uuid(), 'Full' from generate_series(1, $2::int)
        returning organization_id
      ) insert into identity.organization_members (organization_id, user_id, role)
      select organization_id, $1, 'member' from made`,
      [person.id, organizationLimits.organizationsOfUser],
    )
    const { secret } = await invited(await organizationWith(), { address: person.email })
    expect(await accept(secret, person.session)).toBe('too many')
  })
})

test('an administrator of a part invites no administrator, themselves neither', async () => {
  const organizationId = await organizationWith()
  const { id, email } = await addPerson()
  await shared.query(`update identity.users set admin_role = 'support' where id = $1`, [id])
  const refused = outOfReach('the address is that of an administrator')
  const address = email.toUpperCase()
  await expect(invite(organizationId, { address, by: { ...support, id } })).rejects.toThrow(refused)
  const { invitationId } = await invite(organizationId, { address })
  const again = sendInvitationAgain({ organizationId, invitationId }, support, deps())
  await expect(again).rejects.toThrow(refused)
  await withdrawInvitation({ organizationId, invitationId }, support, deps())
  const unverified = await addPerson(newAddress(), false)
  await shared.query(`update identity.users set admin_role = 'support' where id = $1`, [unverified.id])
  await invite(organizationId, { address: unverified.email, by: support })
})

describe('an invitation by an administrator of a part', () => {
  const setRole = (userId: string, role: string | null) =>
    shared.query('update identity.users set admin_role = $2 where id = $1', [userId, role])

  test('makes no administrator a member, whose address it becomes later', async () => {
    const organizationId = await organizationWith()
    const address = newAddress()
    const { secret } = await invited(organizationId, { address, by: support, role: 'owner' })
    const later = await addPerson(address)
    await setRole(later.id, 'support')
    expect(await accept(secret, later.session)).toBe('over')
    expect(await roleOf(organizationId, later.id)).toBeUndefined()
    await setRole(later.id, null)
    expect(await accept(secret, later.session)).toBe(organizationId)
  })

  test('is over while an administrator is a member, until another one sends it again', async () => {
    const organizationId = await organizationWith()
    const person = await addPerson()
    const sent = await invited(organizationId, { address: person.email, by: support })
    const administrator = await addPerson()
    await setRole(administrator.id, 'support')
    await setMembers(shared.replica(), organizationId, { [administrator.id]: 'member' })
    expect(await accept(sent.secret, person.session)).toBe('over')
    await expect(sendInvitationAgain(sent, support, deps())).rejects.toMatchObject({ code: 'access_denied' })
    await sendInvitationAgain(sent, actor, deps())
    const { secret } = await mailbox.oneFor(person.email)
    expect(await accept(secret, person.session)).toBe(organizationId)
  })

  test('is as any other for administrators when a member or an administrator without limits wrote it', async () => {
    const organizationId = await organizationWith()
    const later = await addPerson()
    const { secret } = await invited(organizationId, { address: later.email })
    await setRole(later.id, 'support')
    expect(await accept(secret, later.session)).toBe(organizationId)
  })
})

describe('whoever has no account', () => {
  const signUp = (secret: string, mode: 'invitation' | 'closed' = 'invitation') =>
    completeSignUp(signUpForm(secret), { ...mailDeps(shared.replica()).signUp, mode })

  test('signs up by the link, continues at the invitation, and joins by the same link', async () => {
    const organizationId = await organizationWith()
    const address = newAddress()
    const { secret } = await invited(organizationId, { address })
    expect(await getInvitation(secret, deps())).toMatchObject({ addressKnown: false })
    await expect(signUp(secret, 'closed')).rejects.toMatchObject({ code: 'access_denied' })
    const outcomes = await Promise.all([1, 2].map(() => signUp(secret)))
    expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['link over', 'signed up'])
    const done = outcomes.find(({ outcome }) => outcome === 'signed up')
    expect(done).toMatchObject({ returnTo: '/account/organizations/join' })
    const [user] = await shared.query(
      `select attributes from identity.users where lower(attributes ->> 'email') = lower($1)`,
      [address],
    )
    expect(user?.attributes).toMatchObject({ email: address, email_verified: true })
    const login = done?.outcome === 'signed up' && done.login.outcome === 'right' && done.login.value
    expect(await accept(secret, login ? login.secret : '')).toBe(organizationId)
    expect((await signUp(secret)).outcome).toBe('link over')
  })

  test('cannot sign up by a link that is over', async () => {
    const organizationId = await organizationWith()
    const { secret, invitationId } = await invited(organizationId)
    await withdrawInvitation({ organizationId, invitationId }, actor, deps())
    expect((await signUp(secret)).outcome).toBe('link over')
  })
})

test('an invitation is listed alone by its id, and only in its organization', async () => {
  const [organizationId, other] = [await organizationWith(), await organizationWith()]
  const { invitationId } = await invite(organizationId)
  await invite(organizationId)
  const one = async (where: string, id: string) => {
    const wanted = { organizationId: where, invitationId: id, limit: 1 }
    return (await listInvitations(wanted, deps())).items.map((item) => item.invitationId)
  }
  expect(await one(organizationId, invitationId)).toEqual([invitationId])
  expect(await one(other, invitationId)).toEqual([])
  expect(await one(organizationId, 'no-uuid')).toEqual([])
})
