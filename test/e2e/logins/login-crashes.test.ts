import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { credentialsOf, until, untilReady } from '@gatehouse/test/oauth'
import { signalTree } from '@gatehouse/test/programs/signals'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addUser,
  authorizationRequest,
  isActive,
  password,
  pkce,
  query,
  redeem,
  refresh,
  registerApp,
  type TokenAnswer,
} from './login-people.ts'

const secrets = {
  OAUTH2_JWT_SECRET: randomBytes(32).toString('base64url'),
  OAUTH2_SESSION_KEY: randomBytes(32).toString('base64url'),
  OAUTH2_SEED_PASSWORD: randomBytes(32).toString('base64url'),
}
const usernames = Array.from({ length: 6 }, (_, index) => `person-${index}`)
/** A deadline of 5 s, plus the time to answer, in milliseconds. */
const longestAnswer = 6_500

/** One answer that a person or their client got. */
type Step = { step: string; status: number; took: number; error: string }

let system: TestSystem
let client: RegisteredClient
let stopped = false
let running: Promise<unknown>
const steps: Step[] = []
const tokens: string[] = []
/** Values that must be in no log. */
const confidential = new Set<string>([password, ...Object.values(secrets)])
let logins = 0

/** Takes a step and notes its answer. */
async function take(step: string, send: () => Promise<Response>): Promise<Response> {
  const began = performance.now()
  const response = await send()
  const text = await response.clone().text()
  const error = /"error":"(\w+)"|<code>(\w+)<\/code>/.exec(text)
  steps.push({
    step,
    status: response.status,
    took: performance.now() - began,
    error: error?.[1] ?? error?.[2] ?? '',
  })
  return response
}

/** Runs a whole flow: the user logs in and consents, and the app gets tokens and refreshes them. */
async function logInOnce(username: string): Promise<void> {
  const jar: CookieJar = new Map()
  const { verifier, challenge } = pkce()
  const address = `/oauth/authorize?${new URLSearchParams(authorizationRequest(client, challenge))}`
  confidential.add(verifier)
  const begun = await take('authorize', () => browse(system, jar, address))
  const loginPage = begun.headers.get('location')
  if (!loginPage) return
  const page = await take('login page', () => browse(system, jar, loginPage))
  if (page.status !== 200) return
  const fields = { ...hiddenFields(await page.text()), username, password }
  let answer = await take('login', () => submit(system, jar, '/auth/login', fields))
  confidential.add(decodeURIComponent(jar.get('gatehouse_session') ?? ''))
  const consentPage = answer.headers.get('location') ?? ''
  if (consentPage.startsWith('/oauth/continue')) {
    const asked = await take('consent page', () => browse(system, jar, consentPage))
    const question = hiddenFields(await asked.text())
    confidential.add(question.question ?? '')
    answer = await take('consent', () =>
      submit(system, jar, '/oauth/consent', { ...question, decision: 'allow' }),
    )
  }
  const code = new URL(answer.headers.get('location') ?? 'none:').searchParams.get('code')
  if (!code) return
  confidential.add(code)
  const redeemed = await take('redeem', () =>
    redeem(system, credentialsOf(client), { code, code_verifier: verifier }),
  )
  if (redeemed.status !== 200) return
  const first = (await redeemed.json()) as TokenAnswer
  const refreshed = await take('refresh', () => refresh(system, client, first.refresh_token ?? ''))
  for (const given of [
    first,
    ...(refreshed.status === 200 ? [(await refreshed.json()) as TokenAnswer] : []),
  ]) {
    tokens.push(given.access_token)
    confidential.add(given.access_token.split('.')[2] ?? '')
    confidential.add(given.refresh_token ?? '')
  }
  logins += 1
}

beforeAll(async () => {
  // Without the tests' database it starts an embedded PostgreSQL, which can be stopped.
  system = await startTestSystem({
    OAUTH2_DATABASE_URL: '',
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    LOG_LEVEL: 'debug',
    ...secrets,
  })
  await untilReady(system)
  client = await registerApp(system)
  confidential.add(client.client_secret)
  for (const username of usernames) await addUser(system, username)
  running = Promise.all(
    usernames.map(async (username) => {
      while (!stopped) {
        await logInOnce(username)
        await sleep(20)
      }
    }),
  )
  await until(() => logins > 12, 20_000)
})
afterAll(async () => {
  stopped = true
  await running
  await system?.stop()
})

/** Causes a fault, waits until logins work again by themselves, and returns all answers until then. */
async function during(harm: () => Promise<unknown>): Promise<Step[]> {
  const from = steps.length
  await harm()
  const before = logins
  await until(() => logins > before + 12, 20_000)
  return steps.slice(from)
}

/** Expects only answers that are allowed while something is away. */
function expectPolite(taken: readonly Step[]): void {
  const rude = taken.filter(({ status, error, took }) => {
    if (took > longestAnswer) return true
    return status >= 400 && !(status === 503 && error === 'temporarily_unavailable')
  })
  expect(rude.slice(0, 5)).toEqual([])
}

/** Expects that no login is stored only in part. */
async function expectNothingHalf(): Promise<void> {
  const codes = await query(
    system,
    `select c.redeemed_at is not null as redeemed,
       exists (select from token.access_tokens t where t.grant_id = c.grant_id) as has_access_token,
       exists (select from token.refresh_tokens t where t.grant_id = c.grant_id) as has_refresh_token
     from token.authorization_codes c`,
  )
  expect(codes.length).toBeGreaterThan(0)
  const half = codes.filter((code) => new Set(Object.values(code)).size !== 1)
  expect(half).toEqual([])
}

for (const name of ['identity', 'token', 'client-registry'] as const) {
  test(`recovers when ${name} is killed during logins: people are told to try again`, {
    timeout: 60_000,
  }, async () => {
    const service = system.processes.find((one) => one.name === name)
    for (let round = 0; round < 2; round += 1) {
      const pid = service?.pid as number
      const taken = await during(async () => {
        process.kill(pid, 'SIGKILL')
        await until(() => service?.pid !== undefined && service.pid !== pid, 10_000)
      })
      expectPolite(taken)
    }
    await expectNothingHalf()
  })
}

test('answers in time while PostgreSQL hangs, and logs people in when it continues', {
  timeout: 60_000,
}, async () => {
  const taken = await during(async () => {
    signalTree(system.postgres?.pid as number, 'SIGSTOP')
    try {
      await sleep(8_000)
    } finally {
      signalTree(system.postgres?.pid as number, 'SIGCONT')
    }
  })
  expect(taken.filter(({ status }) => status === 503).length).toBeGreaterThan(0)
  expectPolite(taken)
  await expectNothingHalf()
})

test('logs people in again when PostgreSQL is back after it was killed', { timeout: 60_000 }, async () => {
  const { postgres } = system
  const pid = postgres?.pid
  const taken = await during(async () => {
    process.kill(pid as number, 'SIGKILL')
    await until(() => postgres?.pid !== 0 && postgres?.pid !== pid, 15_000)
  })
  expectPolite(taken)
  await expectNothingHalf()
})

test('has every issued token active after all faults', { timeout: 30_000 }, async () => {
  stopped = true
  await running
  const active = await Promise.all(tokens.map((token) => isActive(system, token)))
  expect(active.filter((one) => !one)).toEqual([])
})

test('writes no secret, code, token, session or password, nor a part of one, into a log', async () => {
  const wrongPassword = randomBytes(32).toString('base64url')
  const wrongCode = randomBytes(32).toString('base64url')
  await submit(system, new Map(), '/auth/login', { username: 'person-0', password: wrongPassword })
  const form = { code: wrongCode, code_verifier: pkce().verifier }
  await redeem(system, credentialsOf(client), form)
  await refresh(system, client, wrongCode)
  await browse(system, new Map([['gatehouse_session', wrongCode]]), '/account')
  const pieces = new Set(
    [...confidential, wrongPassword, wrongCode, form.code_verifier]
      .filter((text) => text !== '')
      .map((text) => text.slice(0, 12)),
  )
  expect(pieces.size).toBeGreaterThan(100)
  const directory = join(system.dataDirectory, 'logs')
  const files = readdirSync(directory)
  expect(files).toEqual(expect.arrayContaining(['gateway.log', 'token.log', 'identity.log', 'postgres.log']))
  for (const file of files) {
    const log = readFileSync(join(directory, file), 'latin1')
    expect(piecesIn(log, pieces), file).toEqual([])
  }
})

/** The pieces of 12 characters that are in a text. A search for one after the other would take minutes. */
function piecesIn(text: string, pieces: ReadonlySet<string>): string[] {
  const found = new Set<string>()
  for (let start = 0; start + 12 <= text.length; start += 1) {
    const piece = text.slice(start, start + 12)
    if (pieces.has(piece)) found.add(piece)
  }
  return [...found]
}
