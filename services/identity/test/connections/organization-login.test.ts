import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { digestsOf } from '../../src/basics/secret.ts'
import { removeMembers, setDisabled } from '../organizations/organizations.ts'
import { resourceServer } from './connections.ts'
import { useConnectionLogins } from './logging-in.ts'

const {
  shared,
  standIn,
  add,
  begin,
  run,
  organizationWith,
  ofOrganization,
  arrives,
  withAddress,
  session,
  right,
} = useConnectionLogins()

describe('a login by a connection of an organization', () => {
  test('creates a member with an address in a domain that it has proven', async () => {
    const { connectionId, organizationId, domain } = await ofOrganization()
    withAddress(domain)
    const first = right(await run(connectionId))
    expect(first).toMatchObject({ created: true, organizationId, organizationSlug: expect.any(String) })
    const found = await session(first.session.secret)
    expect(found).toMatchObject({
      organizationsOnly: true,
      organizationLogins: [{ connectionId, organizationId }],
    })
    expect(
      await shared.replica().sessions.find(digestsOf(first.session.secret).secretDigest, undefined),
    ).toBeUndefined()
    const [user] = await shared.query('select address_vouched_by from identity.users where id = $1', [
      first.session.session.user.id,
    ])
    expect(user).toEqual({ address_vouched_by: organizationId })
  })

  test.each<[string, (domain: string) => unknown]>([
    ['a foreign domain', () => withAddress('foreign.example.com')],
    ['a domain below it', (domain) => withAddress(`sub.${domain}`)],
    ['an unverified address', (domain) => withAddress(domain, { email_verified: false })],
    ['no address', () => arrives()],
  ])('creates nobody with %s', async (_, come) => {
    const { connectionId, domain } = await ofOrganization()
    come(domain)
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
  })

  test('creates nobody by a domain that is lost, and knows the others still', async () => {
    const { connectionId, organizationId, domain } = await ofOrganization()
    withAddress(domain)
    right(await run(connectionId))
    await shared.query(
      'update identity.organization_domains set lost_at = now() where organization_id = $1',
      [organizationId],
    )
    expect(await run(connectionId)).toMatchObject({ outcome: 'right', created: false })
    withAddress(domain)
    expect(await run(connectionId)).toMatchObject({ outcome: 'not invited' })
  })

  test('lets in nobody who was removed, or where the organization is disabled', async () => {
    const { connectionId, organizationId, domain } = await ofOrganization()
    withAddress(domain)
    const { session: begun } = right(await run(connectionId))
    await removeMembers(shared.replica(), organizationId, [begun.session.user.id])
    expect(await run(connectionId)).toMatchObject({ outcome: 'no member' })
    await setDisabled(shared.replica(), organizationId, true)
    await expect(begin(connectionId)).rejects.toThrow('no connection')
  })

  test('gives groups, roles and attributes of the mapping, and takes what it gave', async () => {
    const { organizationId, domain } = await organizationWith()
    const groupId = randomUUID()
    await shared.query(
      'insert into identity.groups (group_id, name, description, organization_id) values ($1, $2, $3, $4)',
      [groupId, 'Staff', '', organizationId],
    )
    const role = { ...resourceServer, resource: '', role: 'reader' }
    const { connectionId } = await add({
      organizationId,
      mapping: [
        { claim: 'preferred_username', attribute: 'login' },
        { claim: 'locale', value: 'de', group: 'staff' },
        { claim: 'locale', value: 'de', group: 'No such group' },
        { claim: 'locale', value: 'de', role },
      ],
    })
    const sub = withAddress(domain, { locale: 'de', preferred_username: 'ann' })
    const { user } = right(await run(connectionId)).session.session
    const has = async () => {
      const groups = await shared.query('select group_id from identity.group_members where user_id = $1', [
        user.id,
      ])
      const roles = await shared.query('select role from identity.role_assignments where user_id = $1', [
        user.id,
      ])
      const [member] = await shared.query(
        'select role, attributes from identity.organization_members where user_id = $1',
        [user.id],
      )
      return { groups: groups.length, roles: roles.map((each) => each.role), member }
    }
    expect(await has()).toEqual({
      groups: 1,
      roles: ['reader'],
      member: { role: 'member', attributes: { login: 'ann' } },
    })
    const { email, email_verified } = standIn().person as Record<string, unknown>
    standIn().person = { sub, name: 'Ann Example', email, email_verified, locale: 'fr' }
    const before = shared.replica().revoked.length
    right(await run(connectionId))
    expect(await has()).toEqual({ groups: 0, roles: [], member: { role: 'member', attributes: {} } })
    expect(shared.replica().revoked.slice(before)).toContainEqual(
      expect.objectContaining({ kind: 'authority' }),
    )
    expect(await shared.auditOf(user.id)).toMatchObject([
      { action: 'connection.map', after: { groups: ['Staff'], roles: [{ role: 'reader' }] } },
      { action: 'connection.map', before: { groups: ['Staff'], roles: [{ role: 'reader' }] } },
    ])
  })
})
