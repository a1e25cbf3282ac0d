import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getOrganization, listOrganizations } from '../../src/organizations/organization.ts'
import {
  createOrganization,
  deleteOrganization,
  updateOrganization,
} from '../../src/organizations/organization-change.ts'
import { outOfReach, support } from '../groups/groups.ts'
import { actor, useReplicas, written } from '../store/replica.ts'
import { addOrganization, endedIn, newSlug, plain, setDisabled } from './organizations.ts'

const shared = useReplicas()
const create = (changes: object = {}, replica = shared.replica()) =>
  createOrganization({ slug: newSlug(), name: 'Acme', ...plain, ...changes }, actor, replica.organizations)
const change = (organizationId: string, wanted: object, by = actor, actingMember?: string) =>
  updateOrganization(
    { organizationId, revision: 0n, ...wanted },
    by,
    shared.replica().organizations,
    actingMember,
  )
const get = (named: string) => getOrganization(named, shared.replica().organizations.organizations)
const list = async (wanted: object) =>
  listOrganizations({ limit: 50, filters: {}, ...wanted }, shared.replica().organizations.organizations)
const unknown = { code: 'not_found', description: 'There is no such organization.' }

describe('creating an organization', () => {
  test('trims its texts, begins with revision 1 and writes an audit entry', async () => {
    const slug = newSlug()
    const sent = { slug, name: ' Acme Inc. ', color: '#0B5CAD', attributes: { plan: 'gold', area: 'EU' } }
    const created = await create({ ...sent, logoUri: 'https://acme.example/a logo.png' })
    expect(created).toMatchObject({
      ...{ slug, name: 'Acme Inc.', color: '#0b5cad', revision: 1n, disabledAt: undefined },
      logoUri: 'https://acme.example/a%20logo.png',
      secondFactorRequired: false,
    })
    expect(created.organizationId).toMatch(/^org_[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/)
    expect(Object.keys(created.attributes)).toEqual(['area', 'plan'])
    expect(await get(created.organizationId)).toEqual(created)
    expect(await get(slug)).toEqual(created)
    const after = {
      ...{ slug, name: 'Acme Inc.', logo_uri: 'https://acme.example/a%20logo.png', color: '#0b5cad' },
      ...{ attributes: { area: 'EU', plan: 'gold' }, second_factor_required: false, sso_required: false },
    }
    expect(await shared.auditOf(created.organizationId)).toEqual([
      written('organization.create', null, after),
    ])
  })

  const slugRule =
    'slug must have 1 to 63 characters of a-z, 0-9 and -, with no - at an end, and must not begin with org_.'
  test.each<[object, string]>([
    [{ slug: '' }, slugRule],
    [{ slug: 'Acme' }, slugRule],
    [{ slug: '-acme' }, slugRule],
    [{ slug: 'acme-' }, slugRule],
    [{ slug: 'org_acme' }, slugRule],
    [{ slug: 'a.b' }, slugRule],
    [{ slug: 'a'.repeat(64) }, slugRule],
    [{ slug: 'acme\n' }, slugRule],
    [{ name: ' ' }, 'name must have 1 to 200 characters.'],
    [{ name: 'x'.repeat(201) }, 'name must have 1 to 200 characters.'],
    [{ name: 'a\u202eb' }, 'name has a control character.'],
    [{ color: 'red' }, 'color must be a color such as #0b5cad.'],
    [{ color: '#0b5cad;' }, 'color must be a color such as #0b5cad.'],
    ...['http://acme.example/', 'javascript:alert(1)', 'https://a:b@acme.example/', 'https://'].map(
      (logoUri): [object, string] => [
        { logoUri },
        'logo_uri must be an https URL of at most 2,048 characters, without user name and password.',
      ],
    ),
    ...['a.example;script-src', 'a.example,x', '*', "'self'", 'a"b.example', '[::1]'].map(
      (host): [object, string] => [
        { logoUri: `https://${host}/logo.png` },
        'logo_uri must have a host of letters, digits, dots and hyphens.',
      ],
    ),
    [{ attributes: { plan: 1 } }, 'attributes must have valid texts: plan must be a text.'],
    [{ attributes: { plan: '' } }, 'attributes must have valid texts: plan must have 1 to 500 characters.'],
    [{ attributes: { plan: 'a\nb' } }, 'attributes must have valid texts: plan has a control character.'],
    [
      { attributes: { '1plan': 'x' } },
      'attributes must have names of 1 to 64 characters: a letter, then letters, digits, ".", "-" and "_".',
    ],
    [
      { attributes: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`a${n}`, 'x'])) },
      'attributes must be at most 20.',
    ],
  ])('refuses %j', async (changes, description) => {
    await expect(create(changes)).rejects.toMatchObject({ code: 'invalid_request', description })
  })

  test('lets one of several have a slug when they ask for it at once', async () => {
    const slug = newSlug()
    const replicas = [shared.another(), shared.another()]
    const outcomes = await Promise.allSettled([...replicas, ...replicas].map((one) => create({ slug }, one)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ description: 'slug is that of another organization.' })
  })
})

describe('changing an organization', () => {
  test('raises its revision, and writes the changed fields alone into the audit log', async () => {
    const { organizationId } = await create({ color: '#000000', logoUri: 'https://acme.example/' })
    expect(await change(organizationId, { name: 'New', color: '' })).toMatchObject({
      ...{ name: 'New', color: undefined, logoUri: 'https://acme.example/', revision: 2n },
    })
    expect(await change(organizationId, { name: 'New' })).toMatchObject({ revision: 2n })
    expect((await shared.auditOf(organizationId)).slice(1)).toEqual([
      written('organization.update', { name: 'Acme', color: '#000000' }, { name: 'New', color: null }),
    ])
  })

  test('does not take the slug of another, also not when two change to it at once', async () => {
    const [one, two, three] = [await create(), await create(), await create()]
    const taken = { code: 'invalid_request', description: 'slug is that of another organization.' }
    await expect(change(one.organizationId, { slug: two.slug })).rejects.toMatchObject(taken)
    const slug = newSlug()
    const outcomes = await Promise.allSettled(
      [one, three].map(({ organizationId }) => change(organizationId, { slug })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    // A slug that was given up is free.
    const given = outcomes[0]?.status === 'fulfilled' ? one : three
    expect(await create({ slug: given.slug })).toMatchObject({ slug: given.slug })
  })

  test('that is based on an outdated revision changes nothing', async () => {
    const { organizationId } = await create()
    await change(organizationId, { revision: 1n, name: 'First' })
    const late = change(organizationId, { revision: 1n, name: 'Second' })
    await expect(late).rejects.toMatchObject({ code: 'outdated_revision' })
    expect(await get(organizationId)).toMatchObject({ name: 'First', revision: 2n })
  })

  test('by disabling it ends what was granted in it; enabling it revives nothing', async () => {
    const replica = shared.another()
    const { organizationId } = await create()
    const before = new Date()
    expect((await setDisabled(replica, organizationId, true)).disabledAt).toBeInstanceOf(Date)
    expect(endedIn(replica)).toEqual([`organization ${organizationId}`])
    expect(replica.revoked[0]?.issuedBefore?.getTime()).toBeGreaterThan(before.getTime())
    await setDisabled(replica, organizationId, true)
    expect((await setDisabled(replica, organizationId, false)).disabledAt).toBeUndefined()
    expect(replica.revoked).toHaveLength(1)
    expect((await shared.auditOf(organizationId)).slice(1)).toEqual([
      written('organization.update', { disabled: false }, { disabled: true }),
      written('organization.update', { disabled: true }, { disabled: false }),
    ])
  })
})

describe('a member who changes their organization', () => {
  test('is an owner, or an admin who leaves the slug alone; administrators alone disable it', async () => {
    const [owner, admin, member, stranger] = [
      await shared.addUser(),
      await shared.addUser(),
      await shared.addUser(),
      await shared.addUser(),
    ]
    const members = { [owner.id]: 'owner', [admin.id]: 'admin', [member.id]: 'member' } as const
    const { organizationId } = await addOrganization(shared.replica(), members)
    const by = (person: { id: string }, wanted: object) => change(organizationId, wanted, actor, person.id)
    expect(await by(admin, { name: 'By an admin', secondFactorRequired: true })).toMatchObject({
      name: 'By an admin',
    })
    const slug = newSlug()
    const denied = (words: string) => ({ code: 'access_denied', description: `Only ${words} may do this.` })
    await expect(by(admin, { slug })).rejects.toMatchObject(denied('owners of the organization'))
    expect(await by(owner, { slug })).toMatchObject({ slug })
    for (const wanted of [{ disabled: true }, { attributes: { plan: 'gold' } }])
      await expect(by(owner, wanted)).rejects.toMatchObject(denied('administrators of the server'))
    await expect(by(member, { name: 'Mine' })).rejects.toMatchObject(
      denied('owners and admins of the organization'),
    )
    for (const person of [stranger, { id: randomUUID() }, { id: 'no uuid' }])
      await expect(by(person, { name: 'Mine' })).rejects.toMatchObject(unknown)
    await setDisabled(shared.replica(), organizationId, true)
    await expect(by(owner, { name: 'Mine' })).rejects.toMatchObject(unknown)
  })

  test('and logged in by its connection is an admin at most', async () => {
    const owner = await shared.addUser()
    const { organizationId } = await addOrganization(shared.replica(), { [owner.id]: 'owner' })
    const byConnection = { ...actor, byConnection: true }
    expect(await change(organizationId, { ssoRequired: true }, byConnection, owner.id)).toMatchObject({
      ssoRequired: true,
    })
    expect((await shared.auditOf(organizationId)).at(-1)).toEqual(
      written('organization.update', { sso_required: false }, { sso_required: true }),
    )
    const slug = newSlug()
    await expect(change(organizationId, { slug }, byConnection, owner.id)).rejects.toMatchObject({
      code: 'access_denied',
      description: 'Owners must log in without a connection of the organization to do this.',
    })
    expect(await change(organizationId, { slug }, actor, owner.id)).toMatchObject({ slug })
  })

  test('who is disabled changes nothing', async () => {
    const owner = await shared.addUser()
    const { organizationId } = await addOrganization(shared.replica(), { [owner.id]: 'owner' })
    await shared.query('update identity.users set disabled_at = now() where id = $1', [owner.id])
    await expect(change(organizationId, { name: 'Mine' }, actor, owner.id)).rejects.toMatchObject(unknown)
  })
})

test('deleting an organization takes all that is in it, and ends what was and will be granted in it', async () => {
  const replica = shared.another()
  const { id } = await shared.addUser()
  const { organizationId, slug } = await addOrganization(replica, { [id]: 'owner' })
  await deleteOrganization(organizationId, actor, replica.organizations)
  expect(replica.revoked).toEqual([{ kind: 'organization', target: organizationId, issuedBefore: undefined }])
  await expect(get(organizationId)).rejects.toMatchObject(unknown)
  expect((await shared.auditOf(organizationId)).at(-1)).toEqual(
    written('organization.delete', { slug, name: 'Acme', disabled: false, members: 1 }, null),
  )
  await expect(deleteOrganization(organizationId, actor, replica.organizations)).rejects.toMatchObject(
    unknown,
  )
})

test('an administrator of a part changes no organization of which an administrator is a member', async () => {
  const [person, administrator] = [await shared.addUser(), await shared.addUser({ adminRole: 'support' })]
  const replica = shared.replica()
  const { organizationId } = await addOrganization(replica, { [person.id]: 'owner' })
  expect(await change(organizationId, { name: 'One' }, support)).toMatchObject({ name: 'One' })
  const other = await addOrganization(replica, { [administrator.id]: 'member' })
  const refusal = { description: outOfReach('a member of the organization is an administrator') }
  await expect(change(other.organizationId, { name: 'Two' }, support)).rejects.toMatchObject(refusal)
  await expect(
    deleteOrganization(other.organizationId, support, replica.organizations),
  ).rejects.toMatchObject(refusal)
  await deleteOrganization(organizationId, support, replica.organizations)
})

test.each(['org_unknown', `org_${randomUUID()}`, randomUUID(), 'Acme', '', 'a\0b', 'nobody-has-this'])(
  'an unknown organization is not found: %j',
  async (named) => {
    await expect(get(named)).rejects.toMatchObject(unknown)
    await expect(change(named, { name: 'New' })).rejects.toMatchObject(unknown)
    await expect(deleteOrganization(named, actor, shared.replica().organizations)).rejects.toMatchObject(
      unknown,
    )
  },
)

test('the list is by name, searched by name and slug or a whole id, and filtered', async () => {
  const mark = randomUUID().slice(0, 8)
  const made = []
  for (const name of ['Beta', 'alpha', 'Gamma alpha'])
    made.push(await create({ name: `${name} ${mark}`, slug: `${name.slice(0, 1).toLowerCase()}-${mark}` }))
  const names = async (wanted: object) => (await list(wanted)).items.map(({ name }) => name)
  const sorted = ['alpha', 'Beta', 'Gamma alpha'].map((name) => `${name} ${mark}`)
  expect(await names({ search: mark })).toEqual(sorted)
  expect(await names({ search: `alpha ${mark}` })).toEqual([sorted[0], sorted[2]])
  expect(await names({ search: `b-${mark}`.toUpperCase() })).toEqual([sorted[1]])
  expect(await names({ search: made[0]?.organizationId.toUpperCase() })).toEqual([sorted[1]])
  expect(await names({ filters: { slug: `g-${mark}` } })).toEqual([sorted[2]])
  const first = await list({ search: mark, limit: 2 })
  expect(first).toMatchObject({ total: expect.any(Number), nextCursor: expect.any(String) })
  expect(await names({ search: mark, limit: 2, cursor: first.nextCursor })).toEqual(sorted.slice(2))
  await setDisabled(shared.replica(), made[0]?.organizationId ?? '', true)
  expect(await names({ search: mark, filters: { disabled: 'true' } })).toEqual([sorted[1]])
  expect(await names({ search: mark, sort: 'created_at', filters: { disabled: 'false' } })).toEqual([
    sorted[0],
    sorted[2],
  ])
})
