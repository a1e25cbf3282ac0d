import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const tenant = '6f0c5e0e-5f29-4d0f-9a53-6a5f4f6c1a11'
const declared = `
resource_servers:
  - identifier: https://wiki.example
    scopes: [{ scope: "wiki:edit", description: Edit pages }]
    roles: [{ name: editor, scopes: ["wiki:edit"], organizations_may_give: true }]
organizations:
  - { slug: acme, name: Acme, sso_required: true, groups: [{ name: Developers }] }
connections:
  - name: Entra
    organization: acme
    kind: microsoft
    client_id: an id
    client_secret: \${GATEHOUSE_ENTRA_SECRET}
    tenants: [${tenant}]
    domains: [acme.example]
    mapping:
      - { claim: department, to: { attribute: department } }
      - { claim: groups, value: dev, to: { group: Developers } }
      - { claim: groups, value: editors, to: { role: editor, resource: https://wiki.example } }
  - { name: Entra, kind: google, client_id: other id, client_secret: "\${GATEHOUSE_ENTRA_SECRET}", disabled: true }
`

// Kinds whose metadata nobody reads when they are created, because their issuer is their own.
describe('gatehouse connections', { timeout: 60_000 }, () => {
  let system: TestSystem
  let database: Client
  beforeAll(async () => {
    system = await startTestSystem({
      OAUTH2_PROFILE: 'openid',
      OAUTH2_SEED_USERNAME: sharedAdmin.username,
      OAUTH2_SEED_PASSWORD: sharedAdmin.password,
    })
    database = new Client(system.databaseUrl)
    await database.connect()
  })
  afterAll(async () => {
    await database?.end()
    await system?.stop()
  })

  const secret = 'the secret of Entra from a vault'
  const { gatehouse, json } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
    GATEHOUSE_ENTRA_SECRET: secret,
  }))
  const apply = (content: string, ...words: string[]) =>
    gatehouse(['apply', '-f', '-', ...words], {}, content)

  test('are created as a file declares them, and a second run has nothing to do', async () => {
    const { code, out } = await apply(declared, '--yes')
    expect([code, out]).toEqual([
      0,
      expect.stringContaining('Created connection acme/Entra.\nCreated connection Entra.'),
    ])
    expect(out).not.toContain(secret)
    expect((await apply(declared, '--yes')).out).toBe('Everything is as declared.\n')
    const { organization_id: organization, sso_required: required } = await json(
      'organizations',
      'show',
      'acme',
    )
    expect(required).toBe(true)
    const { items } = await json('connections', 'list', '--organization', organization)
    expect(items).toEqual([
      expect.objectContaining({
        ...{
          name: 'Entra',
          kind: 'microsoft',
          organization,
          tenants: [tenant],
          new_users: 'verified_domain',
        },
        ...{ has_client_secret: true, disabled: false },
      }),
    ])
    expect((await json('connections', 'list', '--organization', 'none')).items).toMatchObject([
      { kind: 'google', new_users: 'never', disabled: true },
    ])
  })

  test('are exported without their secrets, and the export has nothing to do', async () => {
    const { out } = await gatehouse(['export'])
    expect(out).toContain('organization: acme')
    expect(out).not.toMatch(/client_secret:|from a vault/)
    expect((await apply(out, '--yes')).out).toBe('Everything is as declared.\n')
  })

  test('are changed by a file as far as they differ', async () => {
    const { out } = await apply(
      declared.replace('domains: [acme.example]', 'trusts_second_factor: true'),
      '--dry-run',
    )
    expect(out).toBe(
      [
        '~ connection acme/Entra',
        '    trusts_second_factor: false → true',
        '    domains: ["acme.example"] → []',
        '0 to create, 1 to update, 0 to delete.\n',
      ].join('\n'),
    )
    const moved = await apply(declared.replace('organization: acme', 'organization: none-such'), '--yes')
    expect([moved.code, moved.err]).toEqual([1, expect.stringContaining('There is no such organization.')])
  })

  test('are created, shown, changed, disabled and deleted one by one', async () => {
    const created = await gatehouse(
      ['connections', 'create', 'Okta at Acme', '--kind', 'google', '--client-id', 'an id', '--json'],
      { GATEHOUSE_NEW_SECRET: 'a secret' },
    )
    expect(created.code).toBe(0)
    const { connection_id: id } = JSON.parse(created.out)
    const rules = ['--map', 'locale -> attribute locale', '--map', 'hd=acme.example -> group Staff']
    const changed = await json('connections', 'update', 'Okta at Acme', ...rules, '--acr-values', 'gold')
    expect(changed).toMatchObject({
      acr_values: 'gold',
      mapping: [
        { claim: 'locale', to: { attribute: 'locale' } },
        { claim: 'hd', value: 'acme.example', to: { group: 'Staff' } },
      ],
    })
    expect(await json('connections', 'update', id, '--acr-values', '', '--map', '')).toMatchObject({
      mapping: [],
    })
    const { out } = await gatehouse(['connections', 'show', id])
    expect(out).toContain(`${system.baseUrl}/auth/callback/${id}`)
    expect(out).not.toContain('gold')
    expect(await json('connections', 'disable', id)).toMatchObject({ disabled: true })
    expect((await gatehouse(['connections', 'show', 'Entra'])).err).toContain(
      'Several connections have the name',
    )
    expect((await gatehouse(['connections', 'delete', id, '--yes'])).out).toContain(
      'Okta at Acme is deleted.',
    )
    expect((await gatehouse(['connections', 'show', id])).code).toBe(4)
  })

  test('show who is linked, and unlink them', async () => {
    const [{ connection_id: id }] = (await json('connections', 'list', '--organization', 'none')).items
    await database.query(
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
       select $1, 'https://accounts.google.com', s, id, 'Root' from identity.users, unnest(array['1', '2']) s
       where username = $2`,
      [id, sharedAdmin.username],
    )
    expect((await json('connections', 'links', id)).items).toHaveLength(2)
    const removed = await json('connections', 'unlink', id, sharedAdmin.username, '--subject', '1', '--yes')
    expect(removed.removed).toMatchObject([{ subject: '1', display_name: 'Root', disabled: true }])
    expect((await json('connections', 'links-of', sharedAdmin.username)).items).toMatchObject([
      { subject: '2' },
    ])
    const other = await gatehouse([
      'connections',
      'unlink',
      id,
      sharedAdmin.username,
      '--subject',
      '1',
      '--yes',
    ])
    expect([other.code, other.err]).toEqual([4, expect.stringContaining('has no such link')])
  })
})
