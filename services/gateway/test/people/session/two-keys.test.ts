import cookie from '@fastify/cookie'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { createSocialBrowsers } from '../../../src/people/logins/social-browser.ts'
import { createQuestions } from '../../../src/people/pages/questions.ts'
import { createBrowserSessions, markOf } from '../../../src/people/session/browser-session.ts'
import { newSession, refusing, secret } from '../../../testing/browser.ts'

const [old, fresh] = [
  'the old session key of these tests, 32 bytes',
  'the new session key of these tests, 32 bytes',
]

/** A gateway with these keys: gives a browser its cookies, and says what it reads in those of a browser. */
async function gatewayWith(sessionKey: Keyring) {
  const app = Fastify()
  await app.register(cookie, { secret: sessionKey })
  const social = createSocialBrowsers(true)
  const getSession = refusing('server_error')
  const sessions = createBrowserSessions({ getSession }, { secure: true, bound: [], organizations: false })
  app.get('/give', async (request, reply) => {
    social.remember(request, reply, secret, 600)
    sessions.begin(request, reply, newSession(), markOf('ann@example.com'))
    return ''
  })
  app.get('/read', async (request) => ({
    session: sessions.secretOf(request),
    social: social.secretsOf(request),
    known: sessions.isKnown(request, 'ann@example.com'),
  }))
  return {
    async give() {
      const { cookies } = await app.inject('/give')
      return Object.fromEntries(cookies.map(({ name, value }) => [name, value]))
    },
    read: async (cookies: Record<string, string>) => (await app.inject({ url: '/read', cookies })).json(),
    question: createQuestions<{ flowId: string }>('consent', sessionKey, Date.now),
  }
}

test('cookies and questions that either key signed are read while the keys change, and the current one signs', async () => {
  const [before, announced, swapped, after] = await Promise.all(
    [old, [old, fresh], [fresh, old], fresh].map((key) => gatewayWith(key as Keyring)),
  )
  if (!before || !announced || !swapped || !after) return expect.unreachable()
  const all = { session: secret, social: [secret], known: true }
  const nothing = { social: [], known: false }
  for (const [giving, by] of [
    [before, [all, all, all, nothing]],
    [announced, [all, all, all, nothing]],
    [swapped, [nothing, all, all, all]],
    [after, [nothing, all, all, all]],
  ] as const) {
    const cookies = await giving.give()
    const text = giving.question.write({ flowId: 'f' })
    const gateways = [before, announced, swapped, after]
    expect(await Promise.all(gateways.map(({ read }) => read(cookies)))).toEqual(by)
    expect(gateways.map(({ question }) => question.read(text))).toEqual(
      by.map((read) => (read === all ? { flowId: 'f' } : undefined)),
    )
  }
})
