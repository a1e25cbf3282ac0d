import { randomUUID } from 'node:crypto'
import { connectionLimits } from '@gatehouse/proto/connections'
import { describe, expect, test } from 'vitest'
import { getConnection, listConnections } from '../../src/connections/connection.ts'
import {
  createConnection,
  deleteConnection,
  type NewConnection,
  type SentChange,
  updateConnection,
} from '../../src/connections/connection-change.ts'
import { addOrganization, setDisabled } from '../organizations/organizations.ts'
import { actor } from '../store/replica.ts'
import { factorKey, resourceServer, useConnections } from './connections.ts'

const { shared, standIn, deps, plain, add } = useConnections()
const change = (connectionId: string, fields: Partial<SentChange>, actingMember?: string) =>
  updateConnection({ connectionId, revision: 0n, ...fields }, actor, deps(), actingMember)
const organizationOf = async (userId: string, role: 'owner' | 'admin' | 'member' = 'owner') =>
  (await addOrganization(shared.replica(), { [userId]: role })).organizationId
const stored = async (connectionId: string) =>
  (await shared.query('select * from identity.connections where connection_id = $1', [connectionId]))[0]

describe('a connection', () => {
  test('is stored with its rules and without a readable secret', async () => {
    const connection = await add({
      scope: 'groups',
      mapping: [
        { claim: 'locale', attribute: 'locale' },
        { claim: '/groups/0', value: 'ops', role: { ...resourceServer, resource: '', role: 'operator' } },
      ],
      domains: ['Bücher.example.com', 'bücher.example.com'],
    })
    const { resourceId, identifier: resource } = resourceServer
    expect(connection).toMatchObject({
      connectionId: expect.stringMatching(/^con_/),
      organizationId: undefined,
      clientAuthentication: 'client_secret',
      hasClientSecret: true,
      scope: 'openid groups',
      newUsers: 'never',
      mapping: [
        { claim: 'locale', attribute: 'locale' },
        { claim: '/groups/0', value: 'ops', role: { resourceId, resource, role: 'operator' } },
      ],
      domains: ['xn--bcher-kva.example.com'],
      revision: 1n,
    })
    expect(await getConnection(connection.connectionId, deps().connections)).toEqual(connection)
    const row = (await stored(connection.connectionId)) as { client_secret: Buffer }
    expect(row.client_secret.toString('latin1')).not.toContain(plain().clientSecret)
    const entries = await shared.auditOf(connection.connectionId)
    expect(entries).toMatchObject([
      { action: 'connection.create', after: { kind: 'oidc', scope: 'openid groups' } },
    ])
    expect(JSON.stringify(entries)).not.toContain(plain().clientSecret)
  })

  test.each<[string, () => Partial<NewConnection>, RegExp]>([
    [
      'another issuer than its metadata say',
      () => ({ issuer: `${standIn().issuer}/` }),
      /^issuer: the metadata .* its issuer is /,
    ],
    [
      'an issuer that does not answer',
      () => ({ issuer: 'http://127.0.0.1:1' }),
      /^issuer: .* cannot be reached/,
    ],
    [
      'an issuer for several tenants',
      () => ({ issuer: 'https://login.example.com/{tenantid}' }),
      /^issuer must be the address of one issuer/,
    ],
    [
      'the address of metadata',
      () => ({ issuer: `${standIn().issuer}/.well-known/openid-configuration` }),
      /^issuer must be the issuer itself/,
    ],
    ['no issuer', () => ({ issuer: '' }), /^issuer must be/],
    ['an issuer of a kind that has its own', () => ({ kind: 'google' }), /^issuer must be absent/],
    ['an unknown kind', () => ({ kind: 'saml' }), /^kind must be one of/],
    ['no secret', () => ({ clientSecret: undefined }), /^client_secret must be there/],
    [
      'a secret beside a key',
      () => ({ clientAuthentication: 'private_key_jwt' }),
      /^client_secret must be absent/,
    ],
    [
      'new users by domains in the instance',
      () => ({ newUsers: 'verified_domain' }),
      /^new_users must be never or always/,
    ],
    [
      'a rule for sub',
      () => ({ mapping: [{ claim: '/sub', attribute: 'name' }] }),
      /^mapping: rule 1 must read another claim than sub/,
    ],
    [
      'a rule for an address',
      () => ({ mapping: [{ claim: 'mail', attribute: 'email' }] }),
      /^mapping: rule 1 must have an attribute of users/,
    ],
    [
      'a rule with a value for an attribute',
      () => ({ mapping: [{ claim: 'a', value: 'x', attribute: 'name' }] }),
      /^mapping: rule 1 must have no value/,
    ],
    [
      'a rule with two targets',
      () => ({ mapping: [{ claim: 'a', value: 'x', attribute: 'name', group: 'g' }] }),
      /^mapping: rule 1 must set one/,
    ],
    [
      'a rule for a role that does not exist',
      () => ({
        mapping: [{ claim: 'a', value: 'x', role: { ...resourceServer, resource: '', role: 'none' } }],
      }),
      /^mapping: rule 1 must name a role that its/,
    ],
    ['a public suffix', () => ({ domains: ['co.uk'] }), /^Each of domains must not be/],
    ['tenants of another kind', () => ({ tenants: [randomUUID()] }), /^tenants must be empty/],
  ])('is refused with %s', async (_, changes, words) => {
    await expect(add(changes())).rejects.toThrow(words)
  })

  test('is refused without the key that encrypts its secret, and at a private address that is not allowed', async () => {
    await expect(add({}, deps({ key: '' }))).rejects.toThrow(/OAUTH2_FACTOR_KEY/)
    await expect(add({}, deps({ networks: '' }))).rejects.toThrow(/^issuer must begin with https:\/\//)
    await expect(add({ issuer: 'https://10.0.0.1' }, deps({ networks: '' }))).rejects.toThrow(
      /^issuer must not be at a private address/,
    )
  })

  test('is changed only by the revision that was seen', async () => {
    const { connectionId } = await add()
    const changed = await change(connectionId, { revision: 1n, name: 'Another', acrValues: 'b a b' })
    expect(changed).toMatchObject({ name: 'Another', acrValues: 'b a', revision: 2n })
    await expect(change(connectionId, { revision: 1n, name: 'Late' })).rejects.toThrow(/changed meanwhile/)
    expect(await change(connectionId, { name: 'Another' })).toMatchObject({ revision: 2n })
    expect(await shared.auditOf(connectionId)).toMatchObject([
      { action: 'connection.create' },
      { action: 'connection.update', before: { name: 'Example' }, after: { name: 'Another' } },
    ])
  })

  test('changes from a secret to a key and back', async () => {
    const { connectionId } = await add()
    const changeTo = (clientAuthentication: 'client_secret' | 'private_key_jwt', clientSecret?: string) =>
      change(connectionId, { clientAuthentication, clientSecret })
    // oidc-provider offers private_key_jwt only where it is told to.
    await expect(changeTo('private_key_jwt')).resolves.toMatchObject({
      hasClientSecret: false,
      clientPublicKey: { kty: 'EC', crv: 'P-256', alg: 'ES256', kid: expect.any(String) },
    })
    const row = (await stored(connectionId)) as { client_key: Buffer; client_public_key: object }
    expect(row.client_public_key).not.toHaveProperty('d')
    const { decrypt } = deps().encryption ?? { decrypt: () => Buffer.of() }
    expect(JSON.parse(decrypt(row.client_key, connectionId).toString())).toHaveProperty('d')
    expect(() => decrypt(row.client_key, `con_${randomUUID()}`)).toThrow()
    await expect(changeTo('client_secret')).rejects.toThrow(/^client_secret must be there/)
    expect(await changeTo('client_secret', 'new')).toMatchObject({
      hasClientSecret: true,
      clientPublicKey: undefined,
    })
  })

  test('gets another issuer only together with a new secret', async () => {
    const { connectionId } = await add()
    await shared.query(
      "update identity.connections set issuer = 'https://former.example' where connection_id = $1",
      [connectionId],
    )
    await expect(change(connectionId, { issuer: standIn().issuer })).rejects.toThrow(
      /^client_secret must be sent/,
    )
    expect(await change(connectionId, { issuer: standIn().issuer, clientSecret: 'x' })).toMatchObject({
      issuer: standIn().issuer,
    })
  })

  test('is disabled, enabled and deleted', async () => {
    const { connectionId } = await add()
    expect(await change(connectionId, { disabled: true })).toMatchObject({ disabledAt: expect.any(Date) })
    expect(await change(connectionId, { disabled: false })).toMatchObject({ disabledAt: undefined })
    await deleteConnection({ connectionId }, actor, deps())
    await expect(getConnection(connectionId, deps().connections)).rejects.toThrow(
      'There is no such connection.',
    )
    expect((await shared.auditOf(connectionId)).map(({ action }) => action)).toEqual([
      ...['connection.create', 'connection.update', 'connection.update', 'connection.delete'],
    ])
  })
})

describe('a connection of an organization', () => {
  test('is run by its owners and admins, and by nobody else', async () => {
    const [owner, member, stranger] = [await shared.addUser(), await shared.addUser(), await shared.addUser()]
    const organizationId = await organizationOf(owner.id)
    const { organizations } = shared.replica()
    const { changeMembers } = await import('../../src/organizations/members.ts')
    await changeMembers(
      { organizationId, set: [{ userId: member.id, role: 'member' }], remove: [] },
      actor,
      organizations,
    )
    const other = await organizationOf(stranger.id)
    const create = (actingMember: string) =>
      createConnection({ ...plain(), organizationId }, actor, deps(), actingMember)
    const { connectionId, newUsers } = await create(owner.id)
    expect(newUsers).toBe('verified_domain')
    await expect(create(member.id)).rejects.toThrow(/Only owners and admins/)
    await expect(create(stranger.id)).rejects.toThrow('There is no such organization.')
    await expect(change(connectionId, { name: 'Mine' }, stranger.id)).rejects.toThrow(
      'There is no such connection.',
    )
    await expect(change(connectionId, { organizationId: other, name: 'Mine' })).rejects.toThrow(
      'no such connection',
    )
    const ofInstance = await add()
    await expect(change(ofInstance.connectionId, { name: 'Mine' }, owner.id)).rejects.toThrow(
      'no such connection',
    )
    await expect(deleteConnection(ofInstance, actor, deps(), owner.id)).rejects.toThrow('no such connection')
    await setDisabled(shared.replica(), organizationId, true)
    await expect(change(connectionId, { name: 'Mine' }, owner.id)).rejects.toThrow(
      'There is no such connection.',
    )
  })

  test('gives only roles that organizations may give, and attributes of members', async () => {
    const organizationId = await organizationOf((await shared.addUser()).id)
    const roleOf = (role: string) => ({
      claim: 'a',
      value: 'x',
      role: { ...resourceServer, resource: '', role },
    })
    await expect(add({ organizationId, mapping: [roleOf('operator')] })).rejects.toThrow(
      /organizations may give/,
    )
    const mapping = [roleOf('reader'), { claim: 'department', attribute: 'department' }]
    await expect(add({ organizationId, mapping })).resolves.toMatchObject({
      mapping: [{}, { attribute: 'department' }],
    })
    await expect(add({ organizationId, newUsers: 'always' })).rejects.toThrow(/^new_users must be never or/)
  })

  test('is one of ten at most', async () => {
    const organizationId = await organizationOf((await shared.addUser()).id)
    const of = deps()
    for (let count = 0; count < connectionLimits.ofOrganization; count += 1) await add({ organizationId }, of)
    await expect(add({ organizationId }, of)).rejects.toThrow(/the most there may be/)
    const { items } = await listConnections(
      { limit: 200, filters: { organization: organizationId } },
      of.connections,
    )
    expect(items).toHaveLength(connectionLimits.ofOrganization)
  })
})

test('connections are listed by name, and found by a part of it and by their ids', async () => {
  const name = `List ${randomUUID()}`
  const { connectionId } = await add({ name: `${name} b` })
  await add({ name: `${name} a` })
  const list = async (search: string, filters = {}) =>
    (await listConnections({ limit: 10, search, filters }, deps({ key: factorKey }).connections)).items
  expect((await list(name)).map((each) => each.name)).toEqual([`${name} a`, `${name} b`])
  expect(await list(connectionId)).toMatchObject([{ connectionId }])
  expect(await list(connectionId, { kind: 'github' })).toEqual([])
  expect(await list(name, { organization: 'none', disabled: 'false' })).toHaveLength(2)
})
