import type { Session } from '@gatehouse/proto/identity/v1'
import { describe, expect, test } from 'vitest'
import { ann, browser, cookie, cookiesOf, newSession, secret, session } from '../../../testing/browser.ts'
import { gateway } from '../../../testing/gateway.ts'

describe('a session’s cookie', () => {
  const signed = cookie('gatehouse_session', secret)

  test('with a valid signature has its secret sent to the identity service', async () => {
    const { send, asked } = await gateway()
    await send('GET', '/account', undefined, { cookie: `a=b; ${signed}; c=d` })
    expect(asked('getSession')).toEqual([{ sessionSecret: secret }])
  })

  test.each([
    ['signed with another key', cookie('gatehouse_session', secret, 'another key')],
    ['without a signature', `gatehouse_session=${secret}`],
    ['with an empty signature', `gatehouse_session=${secret}.`],
    ['with another’s signature', signed.replace('sss', 'ttt')],
    ['with a truncated signature', signed.slice(0, -1)],
    ['with text after the signature', `${signed}A`],
    ['empty', 'gatehouse_session='],
    ['with a malformed escape', 'gatehouse_session=%'],
    ['of another length, though signed', cookie('gatehouse_session', `${secret}s`)],
    ['with other characters, though signed', cookie('gatehouse_session', `${'s'.repeat(42)}'`)],
    ['signed for another cookie', cookie('gatehouse_known', secret)],
    ['that is long', `gatehouse_session=${'s'.repeat(8_000)}`],
  ])('that is %s never reaches the identity service', async (_, forged) => {
    const { send, asked, calls } = await gateway()
    expect((await send('GET', '/account', undefined, { cookie: forged })).status).toBe(302)
    expect((await send('POST', '/auth/logout', undefined, { cookie: forged })).status).toBe(302)
    await send('POST', '/auth/login', 'username=ann&password=x', { cookie: forged })
    expect(asked('logIn')).toMatchObject([{ previousSessionSecret: undefined }])
    expect(calls.filter(({ name }) => name !== 'logIn')).toEqual([])
  })

  test.each<[string, Partial<Session>]>([
    ['a user', { user: undefined }],
    ['a creation time', { createdAt: undefined }],
  ])('whose session lacks %s does not log the user in', async (_, lacking) => {
    const getSession = async () => ({
      session: { ...session, ...lacking },
    })
    const { get } = await browser({ identity: { getSession } }, ann)
    expect((await get('/account')).status).toBe(302)
  })
})

describe('a known browser, which a user has logged in with before', () => {
  const logIn = async ({ username }: { username: string }) => ({
    outcome: {
      $case: 'session' as const,
      value: newSession({ ...ann, username }),
    },
  })

  /** Logs users in with one browser, and returns its cookie afterwards. */
  async function afterLogins(usernames: string[], before = '') {
    const { send, asked } = await gateway({ identity: { logIn } })
    let known = before
    let attributes: string[] = []
    for (const username of usernames) {
      const answer = await send('POST', '/auth/login', `username=${username}&password=x`, { cookie: known })
      const [made] = cookiesOf(answer).filter(({ name }) => name === 'gatehouse_known')
      known = made?.pair ?? expect.unreachable('there is no cookie')
      attributes = made?.attributes ?? []
    }
    return {
      known,
      attributes,
      wasKnown: asked('logIn').map((one) => (one as { knownBrowser: boolean }).knownBrowser),
    }
  }

  test('is recognised for a year, for this user’s name in any case, and for no other user', async () => {
    const { known, attributes } = await afterLogins(['ann'])
    expect(attributes.sort()).toEqual([
      'HttpOnly',
      `Max-Age=${365 * 86_400}`,
      'Path=/auth',
      'SameSite=Lax',
      'Secure',
    ])
    expect((await afterLogins(['ann', 'ANN', 'bob'], known)).wasKnown).toEqual([true, true, false])
  })

  test('is remembered for the last five users', async () => {
    const { known } = await afterLogins(['a', 'b', 'c', 'd', 'e', 'f', 'b'])
    const recognised = async (name: string) => (await afterLogins([name], known)).wasKnown[0]
    for (const name of ['b', 'c', 'd', 'e', 'f']) expect([name, await recognised(name)]).toEqual([name, true])
    expect(await recognised('a')).toBe(false)
  })

  test('is recognised by the address that a user typed, also after their second factor', async () => {
    const proveSecondFactor = async () => ({ outcome: { $case: 'session' as const, value: newSession() } })
    const pending = { secret: 'p'.repeat(43), expiresAt: new Date('2040-01-01T00:00:00Z') }
    const identity = {
      logIn: async () => ({ outcome: { $case: 'pending' as const, value: pending } }),
      proveSecondFactor,
    }
    const { send } = await gateway({ identity })
    const asked = await send('POST', '/auth/login', 'username=Ann@example.com&password=x')
    pending.secret = 'q'.repeat(43)
    const other = await send('POST', '/auth/login', 'username=bob&password=x')
    const waiting = cookiesOf(asked)
      .map(({ pair }) => pair)
      .join('; ')
    expect(waiting).not.toContain('example')
    // The password alone does not make a browser known: what was signed for the second step is no mark.
    for (const { pair } of cookiesOf(asked)) {
      const forged = `gatehouse_known=${pair.slice(pair.indexOf('=') + 1)}`
      expect((await afterLogins(['ann@example.com'], forged)).wasKnown).toEqual([false])
    }
    // Nor does the second factor of another login.
    const mixed = [cookiesOf(other)[0], cookiesOf(asked)[1]].map((made) => made?.pair).join('; ')
    const others = await send('POST', '/auth/second-factor', 'code=123456&of=login', { cookie: mixed })
    const [made] = cookiesOf(others).filter(({ name }) => name === 'gatehouse_known')
    expect((await afterLogins(['ann@example.com'], made?.pair)).wasKnown).toEqual([false])
    const proven = await send('POST', '/auth/second-factor', 'code=123456&of=login', { cookie: waiting })
    const known = cookiesOf(proven).find(({ name }) => name === 'gatehouse_known')?.pair ?? ''
    expect((await afterLogins(['ann', 'ann@example.com', 'bob'], known)).wasKnown).toEqual([
      true,
      true,
      false,
    ])
  })

  test('does not reveal its users', async () => {
    const { known } = await afterLogins(['ann-of-green-gables'])
    expect(known).not.toMatch(/green|Z3JlZW4/)
  })

  test('cannot be forged with another key or with a session’s cookie', async () => {
    const { known } = await afterLogins(['ann'])
    const [value = ''] = decodeURIComponent(known.split('=')[1] ?? '').split('.')
    for (const forged of [
      cookie('gatehouse_known', value, 'another key'),
      `gatehouse_known=${value}`,
      known.slice(0, -2),
      cookie('gatehouse_session', secret).replace('session', 'known'),
    ]) {
      expect((await afterLogins(['ann'], forged)).wasKnown).toEqual([false])
    }
    expect((await afterLogins(['ann'], cookie('gatehouse_known', value))).wasKnown).toEqual([true])
  })

  test('is not logged in', async () => {
    const { known } = await afterLogins(['ann'])
    const { send, calls } = await gateway()
    const headers = { cookie: known.replace('known', 'session') }
    expect((await send('GET', '/account', undefined, headers)).status).toBe(302)
    expect(calls).toEqual([])
  })

  test('is not known after a login that failed', async () => {
    const { send } = await gateway()
    const answer = await send('POST', '/auth/login', 'username=ann&password=x')
    expect(answer.headers['set-cookie']).toBeUndefined()
  })
})
