import { LoginOutcome } from '@gatehouse/proto/identity/v1'
import { MailState } from '@gatehouse/proto/mail/v1'
import { MemberRole } from '@gatehouse/proto/organization/v1'
import { describe, expect, test } from 'vitest'
import { ann, browser, locationOf, refusing, secret, session } from '../../../testing/browser.ts'
import { client, issuer } from '../../../testing/gateway.ts'
import { noFactors } from '../../../testing/no-users.ts'

const now = { ...session, seenAt: session.authenticatedAt }
const at = (day: number) => new Date(Date.UTC(2029, 11, day))
const record = {
  ...{ ...ann, createdAt: at(1), disabledAt: undefined, hasPassword: true },
  attributes: { name: 'Ann Example', email: 'ann@example.com', locale: 'de' },
  socialAccounts: [{ provider: 'github', displayName: 'ann-gh', linkedAt: at(2) }],
}
const login = (day: number) => ({
  ...{ loginId: `login-${day}`, time: at(day), userId: 'user-1', username: 'ann' },
  ...{ ipAddress: '192.0.2.7', userAgent: 'A browser', method: 'password' },
})
const mail = {
  ...{ mailId: 'mail-1', kind: 'new_login', userId: 'user-1', recipient: 'ann@example.com', language: 'de' },
  ...{ state: MailState.MAIL_STATE_SENT, attempts: 1, createdAt: at(5), dueAt: undefined, endedAt: at(6) },
}

const identity = {
  getSession: async () => ({ session: now }),
  getUser: async () => ({ user: record }),
  listSessions: async () => ({ sessions: [now] }),
  listFactors: async () => ({
    ...noFactors,
    passkeys: [{ passkeyId: 'p', name: 'Blue key', createdAt: at(3), lastUsedAt: undefined, backedUp: true }],
    recoveryCodesLeft: 9,
  }),
  listConsents: async () => ({
    consents: [{ clientId: 'client_a', scope: 'read email', grantedAt: at(4) }],
  }),
  listLogins: async ({ cursor }: { cursor?: string | undefined }) =>
    cursor === undefined
      ? { logins: [login(9)], nextCursor: 'next', cursors: [] }
      : { logins: [login(8)], nextCursor: undefined, cursors: [] },
  recordDataDownload: async () => ({}),
}
const services = {
  identity,
  mails: { listMails: async () => ({ mails: [mail], nextCursor: undefined }) },
  clientRegistry: { lookupClients: async () => ({ changed: [client], unknown: [] }) },
  places: (address: string, language: string) => `${address} in ${language}`,
}

describe('the download of one’s own data', () => {
  test('is a file with everything about the user, page by page', async () => {
    const { post, asked } = await browser(services, ann)
    const { status, headers, text } = await post('/account/data', {})
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': 'attachment; filename="account.json"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    const place = '192.0.2.7 in de'
    const loginOf = (day: number) => ({
      ...{ time: at(day).toISOString(), method: 'password', succeeded: true, failure: null, client_id: null },
      ...{ ip_address: '192.0.2.7', place, browser: 'A browser' },
    })
    expect(JSON.parse(text)).toEqual({
      server: issuer,
      time: expect.any(String),
      user: {
        ...{ user_id: 'user-1', username: 'ann', administrator: false },
        ...{ created_at: at(1).toISOString(), has_password: true },
      },
      attributes: record.attributes,
      apps: [
        {
          ...{ client_id: 'client_a', name: 'Acme', scope: ['read', 'email'] },
          access: ['Ihre Daten lesen', 'Ihre E-Mail-Adresse sehen'],
          since: at(4).toISOString(),
        },
      ],
      sessions: [
        {
          created_at: session.createdAt.toISOString(),
          authenticated_at: session.authenticatedAt.toISOString(),
          last_seen_at: session.lastSeenAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
          ...{ methods: ['pwd'], ip_address: '192.0.2.7', place, browser: session.userAgent },
        },
      ],
      passkeys: [
        {
          ...{ name: 'Blue key', created_at: at(3).toISOString() },
          ...{ last_used_at: null, on_several_devices: true },
        },
      ],
      authenticator_app: null,
      recovery_codes_left: 9,
      social_accounts: [{ provider: 'github', name: 'ann-gh', linked_at: at(2).toISOString() }],
      mails: [
        {
          ...{ kind: 'new_login', recipient: 'ann@example.com', state: 'sent' },
          ...{ created_at: at(5).toISOString(), ended_at: at(6).toISOString() },
        },
      ],
      logins: [loginOf(9), loginOf(8)],
    })
    expect(asked('recordDataDownload')).toEqual([
      { sessionSecret: secret, ipAddress: '127.0.0.1', userAgent: 'lightMyRequest' },
    ])
    expect(asked('listMails')).toMatchObject([{ userId: 'user-1', cursor: undefined }])
    expect(asked('listLogins')).toMatchObject(
      [undefined, 'next'].map((cursor) => ({
        ...{ userId: 'user-1', cursor, outcome: LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED },
      })),
    )
  })

  test('names the resource servers that an app may use', async () => {
    const notes = {
      ...{ resourceId: 'resource-1', identifier: 'https://notes.example', name: 'Notes', disabled: false },
      scopes: [{ scope: 'notes:write', description: 'Notizen ändern' }],
      ...{ openRegistration: false, createdAt: at(1), revision: 1n },
      ...{ roles: [], scopesByRole: false, tokenClaims: [] },
    }
    const scope = 'read resource-1"notes:write'
    const listConsents = async () => ({ consents: [{ clientId: 'client_a', scope, grantedAt: at(4) }] })
    const lookupResourceServers = async () => ({ version: '1', resourceServers: [notes] })
    const { post } = await browser(
      {
        ...services,
        identity: { ...identity, listConsents },
        clientRegistry: { ...services.clientRegistry, lookupResourceServers },
      },
      ann,
    )
    expect(JSON.parse((await post('/account/data', {})).text).apps).toMatchObject([
      { scope: ['read', 'notes:write'], access: ['Ihre Daten lesen', 'Notes: Notizen ändern'] },
    ])
  })

  test('has no session’s secret, no id of one, and no link of a mail', async () => {
    const { post } = await browser(services, ann)
    const { text } = await post('/account/data', {})
    for (const hidden of [secret, session.sessionId, 'mail-1', 'login-9']) expect(text).not.toContain(hidden)
  })

  test('is asked for on a page', async () => {
    const { get, asked } = await browser(services, ann)
    const { status, text } = await get('/account/data')
    expect([status, text.includes('action="/account/data"')]).toEqual([200, true])
    expect(asked('recordDataDownload')).toEqual([])
    expect((await get('/account')).text).toContain('href="/account/data"')
  })

  test.each(['GET', 'POST'] as const)('needs a login of the last five minutes: %s', async (method) => {
    const old = { ...session, seenAt: new Date(session.authenticatedAt.getTime() + 300_000) }
    const changed = { ...identity, getSession: async () => ({ session: old }) }
    const { get, post, asked } = await browser({ ...services, identity: changed }, ann)
    const answer = method === 'GET' ? await get('/account/data') : await post('/account/data', {})
    expect([answer.status, locationOf(answer)]).toEqual([
      method === 'GET' ? 302 : 303,
      '/auth/login?return_to=%2Faccount%2Fdata&again=yes',
    ])
    expect(asked('listLogins')).toEqual([])
  })

  test('needs the second factor of a user who has one', async () => {
    const unproven = { ...now, secondFactorUnproven: true }
    const changed = { ...identity, getSession: async () => ({ session: unproven }) }
    const { post } = await browser({ ...services, identity: changed }, ann)
    expect(locationOf(await post('/account/data', {}))).toBe(
      '/auth/second-factor?of=session&return_to=%2Faccount%2Fdata',
    )
  })

  test('reads nothing when the identity service says that the login is too old', async () => {
    const changed = { ...identity, recordDataDownload: refusing('login_required') }
    const { post, asked } = await browser({ ...services, identity: changed }, ann)
    expect(locationOf(await post('/account/data', {}))).toContain('again=yes')
    expect(asked('listSessions')).toEqual([])
  })

  test('is complete, or there is none', async () => {
    const tokens = { listTokenHolders: refusing('temporarily_unavailable') }
    const { post } = await browser({ ...services, tokens }, ann)
    expect((await post('/account/data', {})).status).toBe(503)
  })
})

describe('the file where there are organizations', () => {
  const organization = {
    ...{ organizationId: 'org_1', slug: 'acme', name: 'Acme', attributes: {}, secondFactorRequired: false },
    ...{ createdAt: at(1), disabledAt: undefined, revision: 1n, columns: {} },
  }
  const given = at(2).toISOString()
  const resource = 'https://notes.example'
  const groupOf = (groupId: string, name: string) => ({
    ...{ groupId, name, description: '', source: 'local', createdAt: at(1), revision: 1n, columns: {} },
  })
  const memberships = {
    listUserGroups: async ({
      organizationId,
      cursor,
    }: {
      organizationId?: string | undefined
      cursor?: string | undefined
    }) =>
      organizationId === undefined
        ? cursor === undefined
          ? { groups: [groupOf('g-1', 'Staff')], nextCursor: 'next' }
          : { groups: [groupOf('g-2', 'Support')], nextCursor: undefined }
        : { groups: [groupOf('g-3', 'Developers')], nextCursor: undefined },
    listHeldRoles: async ({ organizationId }: { organizationId?: string | undefined }) => ({
      roles: [
        {
          ...{
            resourceId: 'resource-1',
            resource,
            role: organizationId ? 'author' : 'reader',
            givenAt: at(2),
          },
          ...(organizationId && { groupId: 'g-3', groupName: 'Developers' }),
        },
      ],
      nextCursor: undefined,
    }),
  }
  const listUserOrganizations = async () => ({
    organizations: [
      { organization, role: MemberRole.MEMBER_ROLE_ADMIN, joinedAt: at(2), attributes: { team: 'A' } },
    ],
    nextCursor: undefined,
  })
  const link = {
    ...{ connectionId: 'con_1', connectionName: 'Okta', organizationId: 'org_1', userId: 'user-1' },
    ...{
      username: 'ann',
      issuer: 'https://acme.okta.example',
      subject: '00u1',
      displayName: 'ann@acme.example',
    },
    ...{ linkedAt: at(2), lastLoginAt: undefined, orphaned: false, disabled: false },
  }
  const withOrganizations = {
    ...{ ...services, identity: { ...identity, ...memberships }, organizations: true },
    organizationService: { listUserOrganizations },
    connectionService: { listLinks: async () => ({ links: [link], nextCursor: undefined }) },
  }

  test('has the groups, roles, memberships and links of the user, all pages', async () => {
    const { post, asked } = await browser(withOrganizations, ann)
    const {
      groups,
      roles,
      organizations,
      connected_accounts: accounts,
    } = JSON.parse((await post('/account/data', {})).text)
    expect(groups).toEqual([
      { group_id: 'g-1', name: 'Staff' },
      { group_id: 'g-2', name: 'Support' },
    ])
    expect(roles).toEqual([{ resource, role: 'reader', by_group: null, given_at: given }])
    expect(organizations).toEqual([
      {
        ...{ organization_id: 'org_1', name: 'Acme', role: 'admin', joined_at: given },
        attributes: { team: 'A' },
        groups: [{ group_id: 'g-3', name: 'Developers' }],
        roles: [{ resource, role: 'author', by_group: 'Developers', given_at: given }],
      },
    ])
    expect(accounts).toEqual([
      {
        ...{ connection_id: 'con_1', name: 'Okta', organization_id: 'org_1' },
        ...{ issuer: 'https://acme.okta.example', subject: '00u1', display_name: 'ann@acme.example' },
        ...{ linked_at: given, last_login_at: null },
      },
    ])
    for (const call of ['listUserGroups', 'listUserOrganizations', 'listLinks'])
      for (const request of asked(call)) expect(request).toMatchObject({ userId: 'user-1' })
    expect(asked('listHeldRoles')).toMatchObject([
      { holder: { value: 'user-1' }, organizationId: undefined, effective: true },
      { holder: { value: 'user-1' }, organizationId: 'org_1', effective: true },
    ])
  })

  test('is not sent while a part of it cannot be read', async () => {
    const broken = { ...identity, ...memberships, listHeldRoles: refusing('temporarily_unavailable') }
    const { post } = await browser({ ...withOrganizations, identity: broken }, ann)
    expect((await post('/account/data', {})).status).toBe(503)
  })

  test('asks for none of it where organizations are off', async () => {
    const { post, asked } = await browser({ ...withOrganizations, organizations: false }, ann)
    const data = JSON.parse((await post('/account/data', {})).text)
    for (const part of ['groups', 'roles', 'organizations', 'connected_accounts'])
      expect(data).not.toHaveProperty(part)
    expect(asked('listUserGroups')).toEqual([])
  })
})
