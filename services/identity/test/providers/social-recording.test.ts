import { expect, test } from 'vitest'
import { createMinuteLimit } from '../../src/basics/minute-limit.ts'
import { userOf, useSocialLogins } from './social.ts'

const social = useSocialLogins(1_000)
let lastAddress = 0

/** An address that no other test uses, and the attempts recorded from it, oldest first. */
function fromSomewhere() {
  lastAddress += 1
  const ipAddress = `198.51.100.${lastAddress}`
  const recorded = () =>
    social.query(
      `select user_id, username, client_id, user_agent, method, failure from identity.login_attempts
       where ip_address = $1 order by at, login_id`,
      [ipAddress],
    )
  return { ipAddress, recorded }
}
const row = { user_id: null, username: null, client_id: '', user_agent: 'A browser', failure: '' }

test.each(['google', 'microsoft', 'github'])('records a login through %s with its user', async (provider) => {
  const { ipAddress, recorded } = fromSomewhere()
  for (let time = 0; time < 2; time += 1) {
    const begun = await social.begin(provider)
    const outcome = await social.finish(begun, await social.comeBack(begun), social.deps(), { ipAddress })
    const { id, username } = userOf(outcome)
    expect((await recorded()).at(-1)).toEqual({ ...row, user_id: id, username, method: provider })
  }
  expect(await recorded()).toHaveLength(2)
})

test('records a disabled user’s login with the user and the reason', async () => {
  const { ipAddress, recorded } = fromSomewhere()
  const { id, username } = userOf(await social.logIn('github'))
  await social.query('update identity.users set disabled_at = now() where id = $1', [id])
  const begun = await social.begin('github')
  const query = await social.comeBack(begun)
  expect(await social.finish(begun, query, social.deps(), { ipAddress })).toMatchObject({
    outcome: 'disabled',
  })
  await social.query('update identity.users set disabled_at = null where id = $1', [id])
  const user = { user_id: id, username }
  expect(await recorded()).toEqual([{ ...row, ...user, method: 'github', failure: 'user_disabled' }])
})

test.each([
  ['access_denied', 'denied'],
  ['temporarily_unavailable', 'unreachable'],
  ['<script>', 'bad_answer'],
])(
  'records a login that comes back with the error %s as %s, without the error’s text',
  async (error, failure) => {
    const { ipAddress, recorded } = fromSomewhere()
    const begun = await social.begin('google')
    const query = new URLSearchParams(await social.comeBack(begun, 'deny'))
    query.set('error', error)
    await social.finish(begun, query.toString(), social.deps(), { ipAddress })
    expect(await recorded()).toEqual([{ ...row, method: 'google', failure }])
  },
)

test('records a login that comes back from another provider', async () => {
  const { ipAddress, recorded } = fromSomewhere()
  const begun = await social.begin('google')
  const query = await social.comeBack(begun)
  await social.finish({ ...begun, provider: 'github' }, query, social.deps(), { ipAddress })
  expect(await recorded()).toEqual([{ ...row, method: 'github', failure: 'unknown_login' }])
})

test('records a replayed callback once a minute, and a made-up callback never', async () => {
  const { ipAddress, recorded } = fromSomewhere()
  const deps = { ...social.deps(), mayRecord: createMinuteLimit(() => 0) }
  const begun = await social.begin('google')
  const query = await social.comeBack(begun)
  await social.finish(begun, query, deps, { ipAddress })
  for (let time = 0; time < 5; time += 1) await social.finish(begun, query, deps, { ipAddress })
  const unknown = { ...row, method: 'google', failure: 'unknown_login' }
  expect((await recorded()).slice(1)).toEqual([unknown])
  const elsewhere = fromSomewhere()
  for (const browserSecrets of [[], [''], ['no secret']])
    await social.finish(begun, query, deps, { ipAddress: elsewhere.ipAddress, browserSecrets })
  expect(await elsewhere.recorded()).toEqual([])
})

test('fails a login that cannot be recorded', async () => {
  const begun = await social.begin('google')
  const query = await social.comeBack(begun)
  const loginHistory = { add: () => Promise.reject(new Error('disk full')) }
  await expect(social.finish(begun, query, { ...social.deps(), loginHistory })).rejects.toThrow('disk full')
})
