import { setTimeout as sleep } from 'node:timers/promises'
import { submit } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, expectRefusal } from '@gatehouse/test/oauth'
import type { RegisteredClient, TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addPerson,
  codeFor,
  digestOf,
  isActive,
  type Person,
  query,
  redeem,
  refresh,
  registerApp,
  startTwoReplicas,
  type TokenAnswer,
  type TwoReplicas,
  tokensFor,
  tokensOf,
} from '../logins/login-people.ts'

/** How often each race is run. Set GATEHOUSE_TEST_RACES=200 to look for one. */
const races = Number(process.env.GATEHOUSE_TEST_RACES) || 40
const racers = 50

let replicas: TwoReplicas
let system: TestSystem
let client: RegisteredClient
let person: Person
beforeAll(async () => {
  replicas = await startTwoReplicas({ OAUTH2_REFRESH_TOKEN_ENABLED: 'true' })
  system = replicas.system
  client = await registerApp(system)
  person = await addPerson(system)
})
afterAll(() => replicas?.stop())

/** Sends one form from many callers at once, alternating between the gateways. */
async function race(parameters: Record<string, string>, count = racers) {
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const address = `${replicas.gateways[index % 2]}/oauth/token`
      const response = await system.form(address, { ...credentialsOf(client), ...parameters })
      return { status: response.status, body: (await response.json()) as TokenAnswer & { error?: string } }
    }),
  )
  const won = answers.filter(({ status }) => status === 200).map(({ body }) => body)
  const lost = answers.filter(({ status }) => status !== 200).map(({ status, body }) => [status, body.error])
  return { won, lost }
}

const shiftUse = (token: string, seconds: number) =>
  query(
    system,
    'update token.refresh_tokens set used_at = used_at - make_interval(secs => $2) where token_digest = $1',
    [digestOf(token), seconds],
  )

test(`lets one of ${racers} concurrent redemptions on two replicas succeed, and revokes its token`, {
  timeout: 20_000 + races * 1_500,
}, async () => {
  for (let round = 0; round < races; round += 1) {
    const code = await codeFor(system, person, client)
    const { won, lost } = await race({ grant_type: 'authorization_code', ...code })
    expect(won.length, `round ${round}`).toBe(1)
    expect(lost).toEqual(Array(racers - 1).fill([400, 'invalid_grant']))
    expect(await isActive(system, won[0]?.access_token ?? '')).toBe(false)
    await expectRefusal(await refresh(system, client, won[0]?.refresh_token ?? ''), 400, 'invalid_grant')
  }
})

test(`gives ${racers} concurrent refreshes on two replicas the same successor and active tokens`, {
  timeout: 20_000 + races * 2_000,
}, async () => {
  const rounds = Math.ceil(races / 4)
  let { refresh_token: token } = await tokensFor(system, person, client)
  const given = new Set([token])
  for (let round = 0; round < rounds; round += 1) {
    const { won, lost } = await race({ grant_type: 'refresh_token', refresh_token: token })
    expect(lost).toEqual([])
    const successors = new Set(won.map(({ refresh_token }) => refresh_token))
    expect(successors.size).toBe(1)
    expect(new Set(won.map(({ access_token }) => access_token)).size).toBe(racers)
    token = won[0]?.refresh_token ?? ''
    expect(given.has(token)).toBe(false)
    given.add(token)
    expect(await isActive(system, won.at(-1)?.access_token ?? '')).toBe(true)
  }
  // However many requests there were, each generation has one row.
  const rows = await query(system, 'select from token.refresh_tokens where token_digest = any ($1)', [
    [...given].map(digestOf),
  ])
  expect(rows.length).toBe(rounds + 1)
})

test('revokes the grant on both replicas at once when an old refresh token is used after the grace period', async () => {
  const first = await tokensFor(system, person, client)
  const second = await tokensOf(await refresh(system, client, first.refresh_token))
  await shiftUse(first.refresh_token, 9)
  const again = await tokensOf(await refresh(system, client, first.refresh_token))
  expect(again.refresh_token).toBe(second.refresh_token)

  await shiftUse(first.refresh_token, 2)
  const { won, lost } = await race({ grant_type: 'refresh_token', refresh_token: first.refresh_token }, 6)
  expect(won).toEqual([])
  expect(lost).toEqual(Array(6).fill([400, 'invalid_grant']))
  for (const { access_token } of [first, second, again]) {
    for (const gateway of replicas.gateways) {
      const answer = await system.form(`${gateway}/oauth/introspect`, { token: access_token })
      expect(await answer.text()).toBe('{"active":false}')
    }
  }
  const next = await race({ grant_type: 'refresh_token', refresh_token: second.refresh_token ?? '' }, 4)
  expect(next.won).toEqual([])
})

test('revokes the grant when a refresh token is used after its successor, however soon', async () => {
  const first = await tokensFor(system, person, client)
  const second = await tokensOf(await refresh(system, client, first.refresh_token))
  const third = await tokensOf(await refresh(system, client, second.refresh_token ?? ''))
  await expectRefusal(await refresh(system, client, first.refresh_token), 400, 'invalid_grant')
  await expectRefusal(await refresh(system, client, third.refresh_token ?? ''), 400, 'invalid_grant')
  expect(await isActive(system, third.access_token)).toBe(false)
})

test('leaves no active token when a refresh races a withdrawal', { timeout: 60_000 }, async () => {
  for (let round = 0; round < 8; round += 1) {
    const tokens = await tokensFor(system, person, client)
    const withdrawing = sleep(round * 2).then(() =>
      submit(system, person.jar, '/account/apps/withdraw', { client_id: client.client_id }),
    )
    const { won } = await race({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, 20)
    expect((await withdrawing).status).toBe(303)
    for (const { access_token, refresh_token = '' } of [tokens, ...won]) {
      expect(await isActive(system, access_token)).toBe(false)
      const refused = await refresh(system, client, refresh_token)
      await expectRefusal(refused, 400, 'invalid_grant')
    }
  }
})

test('leaves no active token when a redemption races a withdrawal', { timeout: 60_000 }, async () => {
  for (let round = 0; round < 8; round += 1) {
    const code = await codeFor(system, person, client)
    const [response, withdrawn] = await Promise.all([
      sleep((round % 4) * 2).then(() => redeem(system, credentialsOf(client), code)),
      submit(system, person.jar, '/account/apps/withdraw', { client_id: client.client_id }),
    ])
    expect(withdrawn.status).toBe(303)
    if (response.status === 400) await expectRefusal(response, 400, 'invalid_grant')
    else expect(await isActive(system, (await tokensOf(response)).access_token)).toBe(false)
  }
})
