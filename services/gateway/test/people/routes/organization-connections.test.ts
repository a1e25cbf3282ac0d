import { MemberRole } from '@gatehouse/proto/organization/v1'
import { describe, expect, test } from 'vitest'
import { refusing } from '../../../testing/browser.ts'
import { issuer } from '../../../testing/gateway.ts'
import { as, change, connection, home, organizationId, visit } from './own-organization.ts'

const { connectionId } = connection
const own = `${home}/connections/${connectionId}`
const typed = {
  ...{ kind: 'oidc', name: ' Okta ', issuer: 'https://login.example.com', client_id: 'a "client"' },
  ...{ client_authentication: 'client_secret', client_secret: 'a very secret text', scope: 'openid' },
  ...{ acr_values: 'high', new_users: 'never', 'domain:example.com': 'yes', trusts_second_factor: 'yes' },
}
const sent = {
  ...{ organizationId, kind: 'oidc', name: 'Okta', issuer: 'https://login.example.com' },
  ...{ clientId: 'a "client"', clientAuthentication: 'client_secret', scope: 'openid', acrValues: 'high' },
  ...{
    newUsers: 'never',
    domains: ['example.com'],
    trustsSecondFactor: true,
    onLoginPage: false,
    tenants: [],
  },
}

describe('the connections of an organization', () => {
  test('are listed with their links, and are asked for of this organization alone', async () => {
    const { get, asked } = await visit()
    const { text } = await get(`${home}/connections`)
    expect(text).toContain('Okta &lt;b&gt;&amp;&lt;/b&gt;')
    expect(text).toContain('Linked accounts: 5')
    expect(asked('listConnections')).toMatchObject([
      { filters: { organization: organizationId }, withLinks: true },
    ])
    expect(asked('getConnection')).toEqual([])
  })

  test('have so many links that their list tells only that there are more', async () => {
    const listConnections = async () => ({
      ...{ connections: [{ ...connection, links: 1001n }], nextCursor: undefined, total: 1n },
    })
    const { get } = await visit({}, { connectionService: { listConnections } })
    expect((await get(`${home}/connections`)).text).toContain('Linked accounts: 1000+')
  })

  test('of others are not found, nor are those of the instance', async () => {
    const pages = ['', '/disable', '/delete', '/mapping']
    for (const other of [undefined, 'org_0190f0a0-0000-7000-8000-000000000002']) {
      const getConnection = async () => ({ connection: { ...connection, organizationId: other } })
      const { get, post, asked } = await visit({}, { connectionService: { getConnection } })
      for (const page of pages) expect((await get(own + page)).status).toBe(404)
      for (const form of [...pages, '/enable', '/mapping/remove'])
        expect((await post(own + form, typed)).status).toBe(404)
      for (const name of ['updateConnection', 'deleteConnection']) expect(asked(name)).toEqual([])
    }
    const unknown = { getConnection: refusing('not_found', 'There is no such connection.') }
    const { get, asked } = await visit({}, { connectionService: unknown })
    const { status, text } = await get(own)
    expect([status, text]).toEqual([404, expect.stringContaining('does not have this connection any more')])
    expect((await get(`${home}/connections/con_1`)).status).toBe(404)
    expect(asked('getConnection')).toHaveLength(1)
  })

  test('are added in the name of the member, with the fields of their kind', async () => {
    const { get, post, asked } = await visit(as(MemberRole.MEMBER_ROLE_ADMIN))
    expect((await get(`${home}/connections/new`)).text).toContain('new?kind=microsoft')
    const form = (await get(`${home}/connections/new?kind=oidc`)).text
    expect(form).toMatch(/name="domain:example.com" value="yes">.*example\.com.*record missing/)
    expect(form).not.toContain('name="tenants"')
    expect(form).toMatch(/<title>Add a connection: OpenID Connect · /)
    expect((await get(`${home}/connections/new?kind=github`)).text).not.toMatch(
      /name="(issuer|scope|acr_values)"/,
    )
    const { headers } = await post(`${home}/connections`, typed)
    expect(headers.location).toBe(`${own}?done=connection-added`)
    const { organizationId: _, ...by } = change
    const added = asked('createConnection')
    expect(added).toMatchObject([
      { ...by, clientSecret: typed.client_secret, disabled: false, connection: sent },
    ])
    await post(`${home}/connections`, { ...typed, kind: 'microsoft', tenants: 'one\r\ntwo,  three' })
    expect(asked('createConnection').at(-1)).toMatchObject({
      connection: { kind: 'microsoft', issuer: undefined, tenants: ['one', 'two', 'three'] },
    })
  })

  test.each([
    ['name must have 1 to 60 characters.', 'The name must have', 'name'],
    ['issuer must begin with https://.', 'must be a public https address', 'issuer'],
    ['client_secret must be there.', 'A client secret of 1 to', 'client_secret'],
    ['Each of domains must be a domain such as example.com.', 'at most 50 domains', undefined],
    [
      'The organization has 10 connections, the most there may be. Delete one first.',
      'as it may have',
      undefined,
    ],
    [
      'issuer: the metadata at https://x.example/.well-known/openid-configuration cannot be used: its <b> is missing.',
      'cannot be used: its &lt;b&gt; is missing.',
      'issuer',
    ],
  ])('that are refused keep what was typed, but never the secret: %s', async (description, words, field) => {
    const { post } = await visit(
      {},
      { connectionService: { createConnection: refusing('invalid_request', description) } },
    )
    const { status, text } = await post(`${home}/connections`, typed)
    expect([status, text]).toEqual([400, expect.stringContaining(words)])
    expect(text).toContain('value="a &quot;client&quot;"')
    expect(text).toMatch(/name="domain:example.com" value="yes" checked/)
    expect(text).not.toContain(typed.client_secret)
    if (field) expect(text).toMatch(new RegExp(`name="${field}"[^>]* aria-invalid="true"`))
  })

  test('are shown with what is to be registered, and never with a secret', async () => {
    const { get } = await visit()
    const { text } = await get(own)
    expect(text).toContain(`<code>${issuer}${connection.callbackPath}</code>`)
    expect(text).toContain(`<code>${issuer}/auth/connections/${connectionId}/backchannel-logout</code>`)
    expect(text).not.toContain('/jwks')
    expect(text).toContain('belong to a former issuer: 2.')
    expect(text).toMatch(/former\.example.*not of this organization/)
    expect(text).toMatch(/name="client_secret" type="password"(?![^>]*value=)/)
    const test = new URLSearchParams({ test: 'yes', return_to: own }).toString().replaceAll('&', '&amp;')
    expect(text).toContain(`/auth/login/${connectionId}?${test}`)
    const byKey = { ...connection, clientAuthentication: 'private_key_jwt', clientPublicKey: { kty: 'EC' } }
    const other = await visit(
      {},
      { connectionService: { getConnection: async () => ({ connection: byKey }) } },
    )
    expect((await other.get(own)).text).toContain(`${issuer}/auth/connections/${connectionId}/jwks`)
  })

  test('are changed from the revision that was seen, and an empty secret is kept', async () => {
    const { post, asked } = await visit()
    const { client_secret: _, ...rest } = typed
    const { headers } = await post(own, { ...rest, revision: '3', client_secret: '' })
    expect(headers.location).toBe(`${own}?done=connection-saved`)
    expect(asked('updateConnection')).toMatchObject([
      { ...change, connectionId, revision: 3n, connection: sent },
    ])
    const [request] = asked('updateConnection') as {
      fields: string[]
      clientSecret?: string
      disabled?: boolean
    }[]
    expect(request?.clientSecret).toBeUndefined()
    expect(request?.disabled).toBeUndefined()
    expect(request?.fields.toSorted()).toEqual([
      ...['acr_values', 'client_authentication', 'client_id', 'domains', 'issuer', 'name'],
      ...['new_users', 'on_login_page', 'scope', 'trusts_second_factor'],
    ])
  })

  test('that somebody else has changed meanwhile are shown as they are', async () => {
    const outdated = 'This connection was changed meanwhile. Reload it and try again.'
    const { post } = await visit(
      {},
      { connectionService: { updateConnection: refusing('outdated_revision', outdated) } },
    )
    const { text } = await post(own, { ...typed, revision: '2' })
    expect(text).toContain('Somebody else has changed the connection meanwhile.')
    expect(text).toContain('The secret that you typed was not kept: enter it again.')
    const kept = await post(own, { ...typed, client_secret: '', revision: '2' })
    expect(kept.text).toContain('Leave it empty to keep the secret.')
    expect(text).toContain('value="client-at-provider"')
  })

  test('are disabled and deleted after a question, and enabled', async () => {
    const { get, post, asked } = await visit()
    expect((await get(`${own}/disable`)).text).toContain('apps lose the access')
    expect((await get(`${own}/delete`)).text).toContain('Linked accounts are forgotten')
    expect((await get(`${own}/delete`)).text).toContain(`<a href="${own}">Back to <bdi>Okta`)
    expect([...asked('updateConnection'), ...asked('deleteConnection')]).toEqual([])
    expect((await post(`${own}/disable`, {})).headers.location).toBe(`${own}?done=connection-disabled`)
    expect((await post(`${own}/enable`, {})).headers.location).toBe(`${own}?done=connection-enabled`)
    expect(asked('updateConnection')).toMatchObject([
      { ...change, connectionId, disabled: true, fields: [] },
      { ...change, connectionId, disabled: false, fields: [] },
    ])
    expect((await post(`${own}/delete`, {})).headers.location).toBe(
      `${home}/connections?done=connection-deleted`,
    )
    expect(asked('deleteConnection')).toEqual([{ ...change, connectionId }])
  })
})

describe('the mapping of a connection', () => {
  const mapping = `${own}/mapping`
  const rule = { revision: '3', claim: 'groups', value: 'admins', target: 'group:Staff', attribute: '' }

  test('offers local groups and roles that organizations may give, and says which rules give nothing', async () => {
    const { text } = await (await visit()).get(mapping)
    expect(text).toContain('<option value="group:Staff">')
    expect(text).toContain('<option value="role:wiki:editor">')
    expect(text).not.toMatch(/From a directory|owner of all|ghost/)
    expect(text).toMatch(/Gone &lt;b&gt;.*no such group/)
    expect(text.match(/badge failed/g)).toHaveLength(1)
  })

  test.each([
    [rule, { claim: 'groups', value: 'admins', group: 'Staff' }],
    [
      { ...rule, target: 'role:wiki:editor' },
      {
        ...{ claim: 'groups', value: 'admins' },
        role: { resourceId: 'wiki', resource: 'https://wiki.example', role: 'editor' },
      },
    ],
    [
      { ...rule, value: '', target: 'attribute', attribute: 'team' },
      { claim: 'groups', value: undefined, attribute: 'team' },
    ],
  ])('gets a rule: %j', async (form, added) => {
    const { post, asked } = await visit()
    expect((await post(mapping, form)).headers.location).toBe(`${mapping}?done=rule-added`)
    expect(asked('updateConnection')).toMatchObject([
      { ...change, connectionId, revision: 3n, fields: ['mapping'] },
    ])
    const [{ connection: wanted }] = asked('updateConnection') as [{ connection: { mapping: unknown[] } }]
    expect(wanted.mapping).toEqual([...connection.mapping, added])
  })

  test('gives no role that organizations may not give', async () => {
    const { post, asked } = await visit()
    await post(mapping, { ...rule, target: 'role:wiki:owner of all' })
    const [{ connection: wanted }] = asked('updateConnection') as [{ connection: { mapping: unknown[] } }]
    expect(wanted.mapping.at(-1)).toEqual({ claim: 'groups', value: 'admins' })
  })

  test.each([
    ['must read another claim than sub, which identifies a person', 'It cannot be mapped.', 'claim'],
    ['must have a value of 1 to 500 characters', 'needs a value', 'value'],
    ['must have no value: an attribute gets that of the claim', 'Leave the value empty', 'value'],
    ['must set one of attribute, group and role', 'Choose what it becomes.', 'target'],
    ['has an attribute that must have a name', 'An attribute needs a name', 'attribute'],
  ])('says at the form why the new rule is refused: %s', async (said, words, field) => {
    const updateConnection = refusing('invalid_request', `mapping: rule 5 ${said}.`)
    const { post } = await visit({}, { connectionService: { updateConnection } })
    const { status, text } = await post(mapping, { ...rule, claim: 'sub' })
    expect([status, text]).toEqual([400, expect.stringContaining(words)])
    expect(text).toContain('name="claim" type="text"')
    expect(text).toContain('value="sub"')
    expect(text).toMatch(new RegExp(`name="${field}"[^>]* aria-invalid="true"`))
  })

  test('says at its row why an earlier rule is refused', async () => {
    const updateConnection = refusing(
      'invalid_request',
      'mapping: rule 4 must name a role that organizations may give.',
    )
    const { post } = await visit({}, { connectionService: { updateConnection } })
    const { text } = await post(mapping, rule)
    expect(text).toMatch(/name="rule:3"[^>]* aria-invalid="true" aria-describedby="rule-3"/)
    expect(text).toMatch(/id="rule-3"[^>]*>This role does not exist any more/)
    expect(text).not.toMatch(/name="(claim|target)"[^>]* aria-invalid/)
  })

  test('loses the chosen rules, and nothing when none is chosen', async () => {
    const { post, asked } = await visit()
    const none = await post(`${mapping}/remove`, { revision: '3' })
    expect(none.status).toBe(400)
    expect(none.text).toContain('Choose the rules to remove first.')
    expect(asked('updateConnection')).toEqual([])
    await post(`${mapping}/remove`, { revision: '3', 'rule:0': 'yes', 'rule:2': 'yes', 'rule:9': 'yes' })
    const [{ connection: wanted }] = asked('updateConnection') as [{ connection: { mapping: unknown[] } }]
    expect(wanted.mapping).toEqual([connection.mapping[1], connection.mapping[3]])
  })
})
