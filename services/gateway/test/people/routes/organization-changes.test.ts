import { DomainProblem, MemberRole } from '@gatehouse/proto/organization/v1'
import { describe, expect, test } from 'vitest'
import { refusing } from '../../../testing/browser.ts'
import { change, domain, home, invitation, organization, organizationId, visit } from './own-organization.ts'

describe('an invitation', () => {
  const rpc = {
    createInvitation: async () => ({ invitation }),
    sendInvitationAgain: async () => ({ invitation }),
  }

  test('is made, sent again and withdrawn in the name of the member', async () => {
    const { get, post, asked } = await visit({ ...rpc, withdrawInvitation: async () => ({}) })
    const made = await post(
      `${home}/invitations`,
      { email: 'new@example.com', role: 'owner' },
      { 'accept-language': 'fr' },
    )
    expect(made.headers.location).toBe(`${home}/invitations?done=invited`)
    const invited = {
      email: 'new@example.com',
      role: MemberRole.MEMBER_ROLE_OWNER,
      roles: [],
      language: 'fr',
    }
    expect(asked('createInvitation')).toEqual([{ ...change, ...invited }])
    const { invitationId } = invitation
    const form = { invitation_id: invitationId }
    expect((await post(`${home}/invitations/again`, form)).headers.location).toContain('?done=again')
    expect(asked('sendInvitationAgain')).toEqual([{ ...change, invitationId }])
    const question = await get(`${home}/invitations/withdraw?invitation_id=${invitationId}`)
    expect(question.text).toContain('<h1>Withdraw the invitation to <bdi>new@example.com</bdi></h1>')
    expect(asked('listInvitations').at(-1)).toEqual({ organizationId, invitationId, limit: 1 })
    expect(asked('withdrawInvitation')).toEqual([])
    await post(`${home}/invitations/withdraw`, form)
    expect(asked('withdrawInvitation')).toEqual([{ ...change, invitationId }])
    expect((await get(`${home}/invitations/withdraw?invitation_id=other`)).status).toBe(404)
  })

  test.each([
    ['invalid_request', 'email must be an e-mail address.', 'Enter an e-mail address'],
    ['invalid_request', 'email is the address of a member.', 'This is the address of a member already.'],
    [
      'rate_limit_exceeded',
      'Five invitations went to this address in the last hour.',
      'Several e-mails have already',
    ],
    [
      'rate_limit_exceeded',
      'The organization has sent 200 invitations today, the most it may.',
      'today as it may',
    ],
    [
      'invalid_request',
      'The organization has 100 open invitations, the most there may be.',
      'open invitations as it may',
    ],
  ] as const)('that is refused says so: %s: %s', async (code, description, words) => {
    const { post } = await visit({ ...rpc, createInvitation: refusing(code, description) })
    const answer = await post(`${home}/invitations`, { email: 'typed@example.com', role: 'admin' })
    expect(answer.status).toBe(code === 'invalid_request' ? 400 : 429)
    expect(answer.text).toContain(words)
    expect(answer.text).toContain('value="typed@example.com"')
    expect(answer.text).toContain('<option value="admin" selected>')
  })

  test('cannot be made where no mails are sent', async () => {
    const { get } = await visit(
      {},
      { mails: { getMailOptions: async () => ({ mails: false, signUp: false }) } },
    )
    const { text } = await get(`${home}/invitations`)
    expect(text).toContain('This server sends no e-mails')
    expect(text).not.toContain('name="email"')
  })
})

describe('a domain', () => {
  test('is added, checked and removed, and shows its record', async () => {
    const proven = { domain, reason: undefined, problem: DomainProblem.DOMAIN_PROBLEM_UNSPECIFIED }
    const { get, post, asked } = await visit({
      ...{
        addDomain: async () => ({ domain }),
        removeDomain: async () => ({}),
        proveDomain: async () => proven,
      },
    })
    const { text } = await get(`${home}/domains`)
    expect(text).toContain('<code>_gatehouse-challenge.example.com</code>')
    expect(text).toContain('<code>gatehouse-domain-verification=x</code>')
    expect(text).toContain('After seven days, the organization loses the domain.')
    const form = { domain: 'example.com' }
    expect((await post(`${home}/domains`, form)).headers.location).toBe(`${home}/domains?done=domain-added`)
    expect((await post(`${home}/domains/check`, form)).headers.location).toContain('?done=domain-proven')
    expect((await get(`${home}/domains/remove?domain=other.example`)).status).toBe(404)
    await get(`${home}/domains/remove?domain=example.com`)
    expect(asked('removeDomain')).toEqual([])
    await post(`${home}/domains/remove`, form)
    for (const name of ['addDomain', 'proveDomain', 'removeDomain'])
      expect(asked(name)).toEqual([{ ...change, ...form }])
  })

  test.each([
    [DomainProblem.DOMAIN_PROBLEM_MISSING, 'The record was not found.'],
    [DomainProblem.DOMAIN_PROBLEM_TAKEN, 'another organization has this domain'],
    [DomainProblem.DOMAIN_PROBLEM_NO_ANSWER, 'The DNS did not answer.'],
  ])('whose check fails says why: %s', async (problem, words) => {
    const { post } = await visit({ proveDomain: async () => ({ domain, reason: 'x', problem }) })
    const answer = await post(`${home}/domains/check`, { domain: 'example.com' })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)])
  })

  test.each([
    ['domain must be a domain such as example.com.', 'Enter a domain, such as'],
    [
      'domain must not be one below which anybody can register a domain (publicsuffix.org).',
      'Anybody can register',
    ],
    ['The organization has 100 domains, the most there may be. Remove one first.', 'domains as it may have'],
  ])('that is refused stays in the form: %s', async (description, words) => {
    const { post } = await visit({ addDomain: refusing('invalid_request', description) })
    const answer = await post(`${home}/domains`, { domain: '"><b>' })
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(words)])
    expect(answer.text).toContain('value="&quot;&gt;&lt;b&gt;"')
  })
})

describe('settings', () => {
  const typed = {
    ...{ revision: '7', name: ' New ', logo_uri: '', color: '#ABCDEF' },
    ...{ second_factor: 'yes', sso_required: 'yes' },
  }

  test('are changed by owners, from the revision that they saw', async () => {
    const { get, post, asked } = await visit({ updateOrganization: async () => ({ organization }) })
    expect((await get(`${home}/settings`)).text).toContain('name="revision" value="7"')
    expect((await post(`${home}/settings`, typed)).headers.location).toBe(`${home}/settings?done=settings`)
    expect(asked('updateOrganization')).toEqual([
      {
        ...change,
        ...{ revision: 7n, name: ' New ', logoUri: '', color: '#ABCDEF' },
        ...{ secondFactorRequired: true, ssoRequired: true, attributes: undefined },
      },
    ])
  })

  test('that somebody else has changed meanwhile are shown, and others keep what was typed', async () => {
    const outdated = 'This organization was changed meanwhile. Reload it and try again.'
    const { post } = await visit({ updateOrganization: refusing('outdated_revision', outdated) })
    const answer = await post(`${home}/settings`, typed)
    expect(answer.text).toContain('Somebody else has changed the settings meanwhile.')
    expect(answer.text).toContain('value="#0b5cad"')
    const wrong = await visit({
      updateOrganization: refusing('invalid_request', 'color must be a color such as #0b5cad.'),
    })
    const refused = await wrong.post(`${home}/settings`, { ...typed, color: 'red;}' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('value="red;}" aria-describedby="color-hint problem" aria-invalid="true"')
  })
})
