import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getInvitation, listInvitations } from '../../src/organizations/invitation.ts'
import { sendInvitationAgain, withdrawInvitation } from '../../src/organizations/invitation-change.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { forgetResourceServer } from '../../src/roles/role-assignment.ts'
import { deletionsOfExpired } from '../../src/store/expired.ts'
import { deleteUser, updateUser } from '../../src/users/user-change.ts'
import { newResource, outOfReach, support } from '../groups/groups.ts'
import { newAddress } from '../store/mail/mails.ts'
import { actor } from '../store/replica.ts'
import { useInvitations } from './inviting.ts'
import { addOrganization, removeMembers, setDisabled, setMembers } from './organizations.ts'

const { shared, mailbox, deps, addPerson, invite, invited, accept, roleOf } = useInvitations()
const organizationWith = async (members = {}, changes = {}) =>
  (await addOrganization(shared.replica(), members, changes)).organizationId
const listed = async (organizationId: string) =>
  (await listInvitations({ organizationId, limit: 200 }, deps())).items

describe('an invitation to an organization', () => {
  test('names the organization and who invites, in the language that was asked for', async () => {
    const organizationId = await organizationWith({}, { name: 'Acme <b>Corp evil.example' })
    const { mail, link, invitationId } = await invited(organizationId, { language: 'de-CH' })
    expect(mail.subject).toBe('Sie sind zu einer Organisation bei Gatehouse eingeladen')
    expect(mail.text).toContain('Organisation: Acme <b>Corp evil.\u200bexample')
    expect(mail.text).toContain(`Eingeladen von: ${actor.name}`)
    expect(mail.html).toContain('Acme &lt;b&gt;Corp evil.\u200bexample')
    expect(link.pathname).toBe('/account/organizations/join')
    expect(await listed(organizationId)).toMatchObject([{ invitationId, invitedBy: 'root', role: 'member' }])
    expect((await shared.auditOf(organizationId)).at(-1)).toMatchObject({ action: 'organization.invite' })
  })

  test('makes whoever has the address a member, once', async () => {
    const organizationId = await organizationWith()
    const person = await addPerson()
    const { secret } = await invited(organizationId, {
      address: person.email.replace('p', 'P'),
      role: 'admin',
    })
    expect(await getInvitation(secret, deps())).toMatchObject({
      ...{ addressKnown: true, invitation: { role: 'admin' }, organization: { organizationId } },
    })
    const both = await Promise.all([1, 2].map(() => accept(secret, person.session)))
    expect(both.sort()).toEqual([organizationId, 'over'].sort())
    expect(await roleOf(organizationId, person.id)).toBe('admin')
    expect(await listed(organizationId)).toEqual([])
    expect((await shared.auditOf(organizationId)).at(-1)).toMatchObject({
      ...{ action: 'organization.join', actor_id: person.id, after: { role: 'admin', invited_by: 'root' } },
    })
    await removeMembers(shared.replica(), organizationId, [person.id])
    expect(await accept(secret, person.session)).toBe('over')
  })

  test('is nobody else’s: the address must be theirs, and verified', async () => {
    const organizationId = await organizationWith()
    const address = newAddress()
    const { secret } = await invited(organizationId, { address })
    const other = await addPerson()
    const unverified = await addPerson(address, false)
    expect(await accept(secret, other.session)).toBe('other address')
    expect(await accept(secret, unverified.session)).toBe('unverified')
    expect(await accept(secret, 'no session')).toBe('nobody')
    expect(await accept('no link', other.session)).toBe('over')
    for (const { id } of [other, unverified]) expect(await roleOf(organizationId, id)).toBeUndefined()
    const owner = await addPerson(address)
    await updateUser({ userId: owner.id, disabled: true }, actor, shared.replica().admin.changes)
    expect(await accept(secret, owner.session)).toBe('nobody')
  })

  test('ends at once when it is sent again, replaced or withdrawn', async () => {
    const organizationId = await organizationWith()
    const person = await addPerson()
    const first = await invited(organizationId, { address: person.email })
    const again = await sendInvitationAgain(
      { organizationId, invitationId: first.invitationId },
      actor,
      deps(),
    )
    expect(again.invitationId).toBe(first.invitationId)
    expect(await accept(first.secret, person.session)).toBe('over')
    const { secret: second } = await mailbox.oneFor(person.email)
    const third = await invited(organizationId, { address: person.email })
    expect(await accept(second, person.session)).toBe('over')
    expect(await listed(organizationId)).toHaveLength(1)
    const which = { organizationId, invitationId: third.invitationId }
    await withdrawInvitation(which, actor, deps())
    expect(await accept(third.secret, person.session)).toBe('over')
    await expect(withdrawInvitation(which, actor, deps())).rejects.toMatchObject({ code: 'not_found' })
    expect(await roleOf(organizationId, person.id)).toBeUndefined()
  })

  test('whose mail still waits is not sent when it ends', async () => {
    const [organizationId, deleted] = [await organizationWith(), await organizationWith()]
    const { invitationId, address } = await invite(organizationId)
    const { address: other } = await invite(deleted)
    await withdrawInvitation({ organizationId, invitationId }, actor, deps())
    await deleteOrganization(deleted, actor, shared.replica().organizations)
    expect(await mailbox.arriving(address)).toEqual([])
    expect(await mailbox.arriving(other)).toEqual([])
  })

  test.each([
    ['is disabled', (id: string) => setDisabled(shared.replica(), id, true)],
    ['is deleted', (id: string) => deleteOrganization(id, actor, shared.replica().organizations)],
  ])('is over while its organization %s', async (_, end) => {
    const organizationId = await organizationWith()
    const person = await addPerson()
    const { secret } = await invited(organizationId, { address: person.email })
    await end(organizationId)
    expect(await getInvitation(secret, deps())).toBeUndefined()
    expect(await accept(secret, person.session)).toBe('over')
  })

  test('is over when it is too old, and is deleted a month later', async () => {
    const organizationId = await organizationWith()
    const person = await addPerson()
    const { secret, invitationId } = await invited(organizationId, { address: person.email })
    const age = (days: number) =>
      shared.query(
        `update identity.organization_invitations set expires_at = now() - $2 * interval '1 day' where invitation_id = $1`,
        [invitationId, days],
      )
    const clean = () => deletionsOfExpired(shared.replica().database, { mails: 0, auditLog: 0 })
    await age(1)
    expect(await accept(secret, person.session)).toBe('over')
    await clean().organization_invitations?.()
    expect(await listed(organizationId)).toHaveLength(1)
    await age(31)
    await clean().organization_invitations?.()
    expect(await listed(organizationId)).toEqual([])
  })

  test('keeps what a member is, or makes them more', async () => {
    const address = newAddress()
    const organizationId = await organizationWith()
    const { secret } = await invited(organizationId, { address })
    const person = await addPerson(address)
    await setMembers(shared.replica(), organizationId, { [person.id]: 'owner' })
    expect(await accept(secret, person.session)).toBe(organizationId)
    expect(await roleOf(organizationId, person.id)).toBe('owner')
    await expect(invite(organizationId, { address })).rejects.toThrow('email is the address of a member.')
  })
})

describe('the roles of an invitation', () => {
  test('are given in the organization, as far as they still exist and the inviter may give them', async () => {
    const owner = await addPerson()
    const organizationId = await organizationWith({ [owner.id]: 'owner' })
    const resource = newResource()
    const roles = ['reader', 'editor', 'gone'].map((role) => ({ ...resource, role }))
    const findRoles = async () => [
      {
        resourceId: resource.resourceId,
        roles: [
          { name: 'reader', organizationsMayGive: true },
          { name: 'editor', organizationsMayGive: false },
        ],
      },
    ]
    const givenTo = async (byOwner: boolean) => {
      const person = await addPerson()
      const by = byOwner ? { by: owner.acting, actingMember: owner.id } : {}
      const { secret } = await invited(organizationId, { address: person.email, roles, ...by })
      expect(await accept(secret, person.session, findRoles)).toBe(organizationId)
      const rows = await shared.query(
        'select role from identity.role_assignments where user_id = $1 and organization_id = $2 order by role',
        [person.id, organizationId],
      )
      return rows.map(({ role }) => role)
    }
    expect(await givenTo(true)).toEqual(['reader'])
    expect(await givenTo(false)).toEqual(['editor', 'reader'])
  })
})

test('an invitation ends when the member who sent it, or the user it is for, is deleted', async () => {
  const [inviter, other, person] = await Promise.all([1, 2, 3].map(() => addPerson()))
  const remove = (one = inviter) => deleteUser(one?.id ?? '', actor, shared.replica().admin.changes)
  const organizationId = await organizationWith({ [inviter?.id ?? '']: 'owner', [other?.id ?? '']: 'owner' })
  const by = (one = inviter) => ({ by: one?.acting ?? actor, actingMember: one?.id ?? '' })
  const sent = await invited(organizationId, { address: person?.email ?? '', ...by() })
  const waiting = await invite(organizationId, by())
  const kept = await invite(organizationId, by(other))
  const byAdministrator = await invite(organizationId)
  await remove()
  expect(await accept(sent.secret, person?.session ?? '')).toBe('over')
  expect(await mailbox.arriving(waiting.address)).toEqual([])
  const left = [byAdministrator, kept].map(({ invitationId }) => invitationId)
  expect((await listed(organizationId)).map(({ invitationId }) => invitationId)).toEqual(left)
  const toPerson = await invite(organizationId, { address: person?.email.replace('p', 'P') ?? '' })
  await remove(person)
  expect((await listed(organizationId)).map(({ invitationId }) => invitationId)).toEqual(left)
  expect(await mailbox.arriving(toPerson.address)).toEqual([])
})

test('an invitation of an address stays when a user who never verified it is deleted', async () => {
  const organizationId = await organizationWith()
  const { id, email } = await addPerson(newAddress(), false)
  const { invitationId } = await invite(organizationId, { address: email })
  await deleteUser(id, actor, shared.replica().admin.changes)
  expect(await listed(organizationId)).toMatchObject([{ invitationId }])
})

test('an invitation gives no role that was deleted, also not when it is made anew', async () => {
  const organizationId = await organizationWith()
  const [resource, other] = [newResource(), newResource()]
  const roles = [
    { ...resource, role: 'reader' },
    { ...resource, role: 'editor' },
    { ...other, role: 'editor' },
  ]
  await invite(organizationId, { roles })
  const forgotten = { resourceId: resource.resourceId, keptRoles: ['reader'] }
  await forgetResourceServer(forgotten, shared.replica().roles)
  expect((await listed(organizationId))[0]?.roles).toEqual([roles[0], roles[2]])
})

describe('who invites', () => {
  test('is an owner with any role, an admin with none above theirs, and no member or stranger', async () => {
    const [owner, admin, member, stranger] = await Promise.all([1, 2, 3, 4].map(() => addPerson()))
    const organizationId = await organizationWith({
      ...{ [owner?.id ?? '']: 'owner', [admin?.id ?? '']: 'admin', [member?.id ?? '']: 'member' },
    })
    const by = (person = owner) => ({ by: person?.acting ?? actor, actingMember: person?.id ?? '' })
    const { invitationId, address } = await invite(organizationId, { role: 'owner', ...by(owner) })
    await invite(organizationId, { role: 'admin', ...by(admin) })
    const denied = { code: 'access_denied' }
    await expect(invite(organizationId, { role: 'owner', ...by(admin) })).rejects.toMatchObject(denied)
    const byConnection = { by: { ...actor, byConnection: true }, actingMember: owner?.id ?? '' }
    await expect(invite(organizationId, { role: 'owner', ...byConnection })).rejects.toMatchObject(denied)
    const lesser = { address: address.toUpperCase(), role: 'member', ...by(admin) } as const
    await expect(invite(organizationId, lesser)).rejects.toMatchObject(denied)
    expect((await listed(organizationId)).at(-1)).toMatchObject({ invitationId, role: 'owner' })
    const which = { organizationId, invitationId }
    const { acting = actor, id = '' } = admin ?? {}
    await expect(sendInvitationAgain(which, acting, deps(), id)).rejects.toMatchObject(denied)
    await expect(withdrawInvitation(which, acting, deps(), id)).rejects.toMatchObject(denied)
    await expect(invite(organizationId, by(member))).rejects.toMatchObject(denied)
    const foreign = { code: 'not_found', description: 'There is no such organization.' }
    await expect(invite(organizationId, by(stranger))).rejects.toMatchObject(foreign)
    await expect(invite(`org_${randomUUID()}`, by(owner))).rejects.toMatchObject(foreign)
    await setDisabled(shared.replica(), organizationId, true)
    await expect(invite(organizationId, by(owner))).rejects.toMatchObject(foreign)
    await expect(invite(organizationId)).rejects.toThrow('The organization is disabled.')
  })

  test('must still be able to when it is accepted', async () => {
    const [first, second, third, left] = await Promise.all([1, 2, 3, 4].map(() => addPerson()))
    const ids = [first, second, third, left].map((person) => person?.id ?? '')
    const organizationId = await organizationWith(Object.fromEntries(ids.map((id) => [id, 'owner'])))
    const replica = shared.replica()
    const loses: Record<string, (id: string) => Promise<unknown>> = {
      [ids[0] ?? '']: (id) => setMembers(replica, organizationId, { [id]: 'admin' }),
      [ids[1] ?? '']: (id) => removeMembers(replica, organizationId, [id]),
      [ids[2] ?? '']: (id) => updateUser({ userId: id, disabled: true }, actor, replica.admin.changes),
    }
    for (const [id, lose] of Object.entries(loses)) {
      const person = await addPerson()
      const by = { by: { ...actor, id }, actingMember: id }
      const { secret } = await invited(organizationId, { address: person.email, role: 'owner', ...by })
      await lose(id)
      expect(await getInvitation(secret, deps())).toBeUndefined()
      expect(await accept(secret, person.session)).toBe('over')
      expect(await roleOf(organizationId, person.id)).toBeUndefined()
    }
  })

  test('is whoever sent it last, once the first one may no longer invite', async () => {
    const [first, second] = await Promise.all([addPerson(), addPerson()])
    const organizationId = await organizationWith({ [first.id]: 'owner', [second.id]: 'owner' })
    const person = await addPerson()
    const { invitationId } = await invited(organizationId, {
      ...{ address: person.email, by: first.acting, actingMember: first.id },
    })
    await removeMembers(shared.replica(), organizationId, [first.id])
    const sent = await sendInvitationAgain({ organizationId, invitationId }, second.acting, deps(), second.id)
    expect(sent.invitedBy).toBe(second.username)
    const { secret } = await mailbox.oneFor(person.email)
    expect(await accept(secret, person.session)).toBe(organizationId)
  })

  test('is no administrator of a part where an administrator is a member', async () => {
    const { id } = await shared.addUser({ adminRole: 'owner' })
    const organizationId = await organizationWith({ [id]: 'member' })
    await expect(invite(organizationId, { by: support })).rejects.toThrow(
      outOfReach('a member of the organization is an administrator'),
    )
  })

  test('cannot where mails or organizations are off', async () => {
    const organizationId = await organizationWith()
    const { invitationId } = await invite(organizationId)
    const which = { organizationId, invitationId }
    const off = (changes: object) => sendInvitationAgain(which, actor, { ...deps(), ...changes })
    await expect(off({ mailsOn: false })).rejects.toThrow(/OAUTH2_SMTP_URL/)
    await expect(off({ organizationsOn: false })).rejects.toThrow(/OAUTH2_ORGANIZATIONS_ENABLED/)
  })
})
