import { type FinishLoginResponse, LoginProblemKind, type LoginTest } from '@gatehouse/proto/connection/v1'
import { languageTags } from '@gatehouse/proto/people/languages'
import { describe, expect, test } from 'vitest'
import { connection, home, visit } from './own-organization.ts'

const { connectionId } = connection
const back = `${home}/connections/${connectionId}`
const returnTo = `/auth/login/${connectionId}?${new URLSearchParams({ test: 'yes', return_to: back })}`
const tried: LoginTest = {
  ...{ claims: { sub: '1 <b>', groups: ['staff'], note: 'long '.repeat(50) }, problem: undefined },
  ...{ wouldCreate: false, username: 'ann', attributes: { department: 'R&D' }, groups: ['Staff'] },
  roles: [{ resourceId: 'wiki', resource: 'https://wiki.example', role: 'editor' }],
  remarks: ['Rule 2 gives nothing.'],
}

/** The page after the provider has answered. */
async function shown(outcome: NonNullable<FinishLoginResponse['outcome']>, language = 'en') {
  const finishLogin = async () => ({ name: 'Okta <b>', returnTo: `${returnTo}&begun=yes`, outcome })
  const { get } = await visit({}, { connectionService: { finishLogin } })
  const answer = await get(`/auth/callback/${connectionId}?state=x`, { 'accept-language': language })
  return { ...answer, text: answer.text.replaceAll('&amp;', '&') }
}

describe('the page with the result of a test', () => {
  test('shows what the provider said, and what a login would do', async () => {
    const { text } = await shown({ $case: 'test', value: tried })
    expect(text).toContain('The login works.')
    expect(text).toContain('<strong><bdi>ann</bdi></strong> would be logged in.')
    expect(text).toContain('<bdi>R&D</bdi>')
    expect(text).toContain('<bdi>editor</bdi> (<bdi>https://wiki.example</bdi>)')
    expect(text).toContain('<bdi>Rule 2 gives nothing.</bdi>')
    expect(text).toContain('1 &lt;b&gt;')
    expect(text.match(/<details>/g)).toHaveLength(1)
    expect(text).toContain(`href="${back}"`)
    expect(text).toContain(`href="${returnTo}"`)
  })

  test('says who would be created, and why somebody could not log in', async () => {
    const created = await shown({
      $case: 'test',
      value: { ...tried, wouldCreate: true, username: undefined },
    })
    expect(created.text).toContain('A new user would be created.')
    const kind = LoginProblemKind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT
    const { text } = await shown({ $case: 'test', value: { ...tried, problem: kind } })
    expect(text).toContain('A user has this address already.')
    expect(text).toContain('<th scope="row">')
    expect(text).not.toContain('would be logged in')
    // Nobody would be logged in, so a login would do nothing.
    expect(text).toContain('What the mapping gives')
    expect(text).not.toContain('What a login would do')
  })

  test('says the reason as the log has it', async () => {
    const kind = LoginProblemKind.LOGIN_PROBLEM_KIND_BAD_ANSWER
    const { text } = await shown({ $case: 'problem', value: { kind, detail: 'the <b> is wrong' } })
    expect(text).toContain('<pre dir="ltr" lang="en">the &lt;b&gt; is wrong</pre>')
    expect((await shown({ $case: 'problem', value: { kind } })).text).not.toContain('<pre')
  })

  const kinds = Object.values(LoginProblemKind).filter((kind) => typeof kind === 'number' && kind >= 0)

  test.each(languageTags)('%s: has words for each problem', async (language) => {
    const texts = new Set<string>()
    for (const kind of kinds) {
      const { text } = await shown({ $case: 'problem', value: { kind: kind as LoginProblemKind } }, language)
      expect(text).not.toMatch(/undefined|=&gt;/)
      texts.add(/role="alert">([^<]+)</.exec(text)?.[1] ?? '')
    }
    expect(texts.size).toBe(kinds.length)
  })
})
