import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { grantConsent, listConsents, withdrawConsent } from '../../src/logins/consent.ts'
import { getSession } from '../../src/logins/session.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { addOrganization, removeMembers, setDisabled, setMembers } from '../organizations/organizations.ts'
import { actor, useReplicas } from '../store/replica.ts'
import { connectionsOver, existing } from './connections.ts'

const shared = useReplicas()

/** A user who is logged in, and an organization to which they and an owner belong. */
async function member() {
  const [user, owner] = [await shared.addUser(), await shared.addUser()]
  const { id: sessionId, secret } = await shared.browserOf(user.username)
  const members = { [owner.id]: 'owner', [user.id]: 'member' } as const
  const { organizationId } = await addOrganization(shared.replica(), members)
  return { userId: user.id, username: user.username, sessionId, secret, organizationId }
}
type Someone = Awaited<ReturnType<typeof member>>

const allow = (
  { secret, sessionId }: Pick<Someone, 'secret' | 'sessionId'>,
  organizationId: string | undefined,
  scope = 'read',
  clientId = 'client_a',
) => grantConsent({ secret, sessionId, clientId, scope, organizationId }, shared.replica().consents)
const consentsOf = async ({ secret }: Pick<Someone, 'secret'>, clientId = 'client_a') => {
  const session = await getSession(secret, shared.another().sessions, clientId)
  return [session?.consentedScope, session?.consentedIn]
}
const list = ({ userId }: Someone) => listConsents(userId, shared.replica().consents)

test('a consent counts in its organization alone, and comes with the session and with a login', async () => {
  const user = await member()
  const { organizationId, username } = user
  const other = await addOrganization(shared.replica(), { [user.userId]: 'owner' })
  expect(await consentsOf(user)).toEqual(['', []])
  expect(await allow(user, organizationId, 'read write')).toMatchObject({ id: user.sessionId })
  await allow(user, organizationId, 'email read')
  expect(await consentsOf(user)).toEqual(['', [{ organizationId, scope: 'read write email' }]])
  await allow(user, undefined, 'profile')
  await allow(user, other.organizationId, 'openid')
  const everywhere = expect.arrayContaining([
    { organizationId, scope: 'read write email' },
    { organizationId: other.organizationId, scope: 'openid' },
  ])
  expect(await consentsOf(user)).toEqual(['profile', everywhere])
  expect(await consentsOf(user, 'client_b')).toEqual(['', []])
  expect(await consentsOf(user, '')).toEqual([undefined, []])
  const { session } = await shared.browserOf(username, { clientId: 'client_a' })
  expect([session.consentedScope, session.consentedIn]).toEqual(['profile', everywhere])
})

test('nobody consents in an organization to which they do not belong, or that is disabled', async () => {
  const [user, stranger] = [await member(), await member()]
  const { organizationId } = user
  for (const named of [organizationId, `org_${randomUUID()}`, 'acme', ''])
    expect(await allow(stranger, named)).toMatchObject({ id: stranger.sessionId })
  expect(await allow({ ...user, sessionId: stranger.sessionId }, organizationId)).toBeDefined()
  expect(await consentsOf(stranger)).toEqual(['', []])
  await setDisabled(shared.replica(), organizationId, true)
  await allow(user, organizationId)
  expect(await consentsOf(user)).toEqual(['', []])
})

test('the list of consents names organizations', async () => {
  const user = await member()
  const { organizationId } = user
  await allow(user, undefined)
  await allow(user, organizationId, 'write')
  expect(await list(user)).toEqual([
    {
      ...{ clientId: 'client_a', scope: 'write', grantedAt: expect.any(Date) },
      ...{ organizationId, organizationName: 'Acme' },
    },
    { clientId: 'client_a', scope: 'read', grantedAt: expect.any(Date) },
  ])
})

test('withdrawing one leaves the others, and ends what was granted by it', async () => {
  const replica = shared.another()
  const user = await member()
  const { userId, organizationId } = user
  await allow(user, undefined)
  await allow(user, organizationId)
  const withdraw = (organization?: string) =>
    withdrawConsent({ userId, clientId: 'client_a', organizationId: organization }, replica)
  await withdraw(organizationId)
  expect(await consentsOf(user)).toEqual(['read', []])
  await allow(user, organizationId)
  await withdraw()
  expect(await consentsOf(user)).toEqual(['', [{ organizationId, scope: 'read' }]])
  await withdraw('not an id')
  await withdraw('')
  expect(replica.revoked).toEqual([
    { kind: 'consent', target: `${userId}:client_a:${organizationId}`, issuedBefore: expect.any(Date) },
    { kind: 'consent', target: `${userId}:client_a`, issuedBefore: expect.any(Date) },
  ])
})

test('whoever leaves an organization keeps no consent in it, and joining anew brings none back', async () => {
  const user = await member()
  const { userId, organizationId } = user
  await allow(user, organizationId)
  await removeMembers(shared.replica(), organizationId, [userId])
  await setMembers(shared.replica(), organizationId, { [userId]: 'member' })
  expect(await consentsOf(user)).toEqual(['', []])
})

test('a consent that is given while its user leaves does not outlive the membership', async () => {
  for (let round = 0; round < 10; round += 1) {
    const user = await member()
    const { userId, organizationId } = user
    await Promise.all([
      allow(user, organizationId),
      removeMembers(shared.another(), organizationId, [userId]),
      ...(round % 2 === 0 ? [] : [allow(user, organizationId, 'write')]),
    ])
    expect(await consentsOf(user)).toEqual(['', []])
  }
})

test('they go with a deleted organization and with deleted clients, and count as use of a client', async () => {
  const user = await member()
  const [one, two] = [`client_${randomUUID()}`, `client_${randomUUID()}`]
  for (const clientId of [one, two]) await allow(user, user.organizationId, 'read', clientId)
  const { consents } = shared.replica()
  expect(await consents.findClients([one, two])).toEqual([one, two])
  await consents.forgetClients([one])
  expect(await consents.findClients([one, two])).toEqual([two])
  await deleteOrganization(user.organizationId, actor, shared.replica().organizations)
  expect(await consents.findClients([one, two])).toEqual([])
})

test('a session by organizations gives consents in those alone, and not once its login there has ended', async () => {
  const { addConnection, addMember, endLogins, findAny, link, logInByMember } = connectionsOver(shared)
  const { user, organizationId, connection } = await addMember()
  const other = await addOrganization(shared.replica(), { [user.id]: 'owner' })
  const { secret, session } = existing(await logInByMember(connection, user))
  const someone = { secret, sessionId: session.id }
  for (const named of [undefined, other.organizationId]) expect(await allow(someone, named)).toBeUndefined()
  expect(await allow(someone, organizationId)).toMatchObject({
    ...{ id: session.id, organizationsOnly: true, organizationLogins: [connection] },
  })
  expect(await listConsents(user.id, shared.replica().consents)).toMatchObject([{ organizationId }])
  const second = await addConnection(other.organizationId)
  await link(second, user)
  const both = existing(await logInByMember(second, user, { previousSecret: secret }))
  await endLogins(connection)
  expect(await findAny(both.secret)).toMatchObject({ organizationLogins: [second] })
  expect(await allow({ ...someone, secret: both.secret }, organizationId, 'write')).toBeUndefined()
})

test('a session of its own that has a login in the organization, too, consents in it', async () => {
  const { addMember, logInByMember } = connectionsOver(shared)
  const { user, organizationId, connection } = await addMember()
  const own = await shared.browserOf(user.username)
  const { secret } = existing(await logInByMember(connection, user, { previousSecret: own.secret }))
  const someone = { secret, sessionId: own.id }
  expect(await allow(someone, organizationId)).toMatchObject({ organizationLogins: [connection] })
  expect(await allow(someone, undefined)).toMatchObject({ id: own.id })
  expect(await listConsents(user.id, shared.replica().consents)).toHaveLength(2)
})
