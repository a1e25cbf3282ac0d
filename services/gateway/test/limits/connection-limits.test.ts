import { LoginProblemKind } from '@gatehouse/proto/connection/v1'
import { expect, test } from 'vitest'
import { limitedGateway } from './limits.ts'

const id = 'con_0190f0a0-0000-7000-8000-0000000000c1'
const problem = { kind: LoginProblemKind.LOGIN_PROBLEM_KIND_UNREACHABLE }
const connectionService = {
  beginLogin: async () => ({ outcome: { $case: 'problem' as const, value: problem }, name: 'Acme' }),
  endUpstream: async () => ({ accepted: true }),
}
const start = () => limitedGateway({ organizations: true, connectionService })
const limitOf = ({ headers }: { headers: Record<string, unknown> }) => headers['x-ratelimit-limit']

test('logins through connections have a limit of their own, whatever the connection', async () => {
  const { send } = await start()
  const paths = Array.from({ length: 31 }, (_, index) => `/auth/login/${index % 2 === 0 ? id : 'con_1'}`)
  const answers = await Promise.all(paths.map((path) => send('GET', path)))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(1)
  expect((await send('GET', `/auth/login/${id}`)).status).toBe(429)
  const other = await send('GET', '/auth/login/github')
  expect([other.status === 429, limitOf(other)]).toEqual([false, '100'])
})

test('logout tokens of a provider use up nothing of what its address has elsewhere', async () => {
  const { send } = await start()
  const logOut = () => send('POST', `/auth/connections/${id}/backchannel-logout`, 'logout_token=a.b.c')
  const answers = await Promise.all(Array.from({ length: 150 }, logOut))
  expect(new Set(answers.map((answer) => `${answer.status} ${limitOf(answer)}`))).toEqual(
    new Set(['200 1000']),
  )
  const other = await send('GET', '/auth/login')
  expect(other.headers['x-ratelimit-remaining']).toBe('99')
})
