import { hash, randomBytes } from 'node:crypto'
import { type CookieJar, hiddenFields } from '@gatehouse/test/browser-login'
import { noteCookies, type User } from './administrator.ts'
import { pathOf } from './asking.ts'
import { anyGateway, type Client, type Crew, introspect, rest, revokeAccessToken } from './callers.ts'
import type { Answer } from './journal.ts'
import { type Code, type Grant, type Issued, settle, underWay } from './ledger.ts'
import { refreshAgain, refreshOld, refreshTwice } from './refreshing.ts'
import { mayBeOver, type Visit } from './visit.ts'
import { replicas } from './world.ts'

export const redirectUri = 'https://app.example/cb'

/** Works as a user with an app: logs in and consents, gets and refreshes tokens, and sometimes revokes or withdraws. */
export async function person(crew: Crew, user: User, client: Client): Promise<void> {
  let jar: CookieJar = new Map()
  while (!crew.signal.aborted) {
    if (user.mayLogIn) {
      // A new address each time, because failed logins are counted by address, even those of a user who was just disabled.
      const address = `10.${Array.from({ length: 3 }, () => Math.floor(crew.random.between(1, 255))).join('.')}`
      const visit: Visit = { crew, ask: crew.askFrom(address), user, client, jar, began: Date.now() }
      const done = await goThrough(visit)
      if (!done || crew.random.chance(0.3)) jar = await leave(visit)
    }
    await rest(crew, crew.random.between(150, 500))
  }
}

/** @returns whether every step succeeded */
async function goThrough(visit: Visit): Promise<boolean> {
  const { crew, ask, client } = visit
  const got = await getCode(visit)
  if (!got) return false
  const { code, verifier, given } = got
  const grant: Grant = {
    kind: 'authorization_code',
    clientId: client.client_id,
    userId: visit.user.userId,
    given,
    endings: [],
    refreshTokens: [],
    refreshKnown: true,
  }
  if (crew.random.chance(0.12)) return redeemTwice(visit, grant, code, verifier)
  const first = await redeem(visit, grant, code, verifier)
  if (!first) return false
  crew.ledger.grants.push(grant)
  let newest: Issued = first
  const rounds = Math.floor(crew.random.between(0, 5))
  for (let round = 0; round < rounds && !crew.signal.aborted; round += 1) {
    const next = await refreshAgain(visit, grant)
    if (!next) return true
    newest = next
    await rest(crew, crew.random.between(50, 250))
  }
  await introspect(crew, ask, newest, anyGateway(crew))
  const draw = crew.random.next()
  if (draw < 0.1) await revokeAccessToken(crew, ask, client, newest)
  else if (draw < 0.18) await revokeGrant(visit, grant)
  else if (draw < 0.26) await refreshOld(visit, grant)
  else if (draw < 0.32) await redeem(visit, grant, code, verifier)
  else if (draw < 0.37) await withdraw(visit)
  else if (draw < 0.5) await refreshTwice(visit, grant)
  return true
}

async function getCode(
  visit: Visit,
): Promise<{ code: Code; verifier: string; given: { began: number; ended: number } } | undefined> {
  const { crew, ask, user, client, jar } = visit
  const verifier = randomBytes(32).toString('base64url')
  crew.ledger.confidential.add(verifier)
  const path = `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    state: 'state',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })}`
  const about = { user: user.userId, clientId: client.client_id }
  const authorize = () =>
    ask({ kind: 'authorize', gateway: anyGateway(crew), path, jar, about, allowed: [200, 302] })
  let answer = await authorize()
  if (answer.status === 302 && pathOf(answer.headers.get('location')).startsWith('/auth/login')) {
    const page = await ask({
      kind: 'login page',
      gateway: anyGateway(crew),
      path: pathOf(answer.headers.get('location')),
      jar,
      allowed: [200],
    })
    if (page.status !== 200) return undefined
    const form = { ...hiddenFields(page.text), username: user.username, password: user.password }
    const login = await ask({
      kind: 'login',
      gateway: anyGateway(crew),
      path: '/auth/login',
      form,
      jar,
      about,
      allowed: [200, 303, 401],
    })
    if (login.status === 401 && !mayBeOver(visit)) crew.journal.complain(login, 'the login was refused')
    if (login.status !== 200 && login.status !== 303) return undefined
    noteCookies(crew, jar)
    answer = login
  }
  if (answer.status === 200) {
    const fields = hiddenFields(answer.text)
    crew.ledger.confidential.add(fields.question ?? '')
    answer = await ask({
      kind: 'consent',
      gateway: anyGateway(crew),
      path: '/oauth/consent',
      form: { ...fields, decision: 'allow' },
      jar,
      about,
      allowed: [303, 401],
    })
    if (answer.status === 401 && !mayBeOver(visit)) crew.journal.complain(answer, 'the session had ended')
  }
  return codeOf(visit, answer, verifier)
}

function codeOf(visit: Visit, answer: Answer, verifier: string) {
  const { crew, jar } = visit
  if (answer.status !== 302 && answer.status !== 303) return undefined
  const location = new URL(answer.headers.get('location') ?? '/', crew.world.publicUrl)
  const text = location.searchParams.get('code')
  if (text) {
    const code = { code: text, redeemed: 0 }
    crew.ledger.codes.push(code)
    crew.ledger.confidential.add(text)
    return { code, verifier, given: { began: answer.began, ended: answer.ended } }
  }
  const error = location.searchParams.get('error')
  const sessionOver = location.pathname === '/auth/login'
  if (sessionOver) jar.clear()
  if (!(sessionOver && mayBeOver(visit)) && error !== 'temporarily_unavailable') {
    crew.journal.complain(answer, `no code: ${error ?? location.pathname}`)
  }
  return undefined
}

async function redeem(visit: Visit, grant: Grant, code: Code, verifier: string): Promise<Issued | undefined> {
  const { crew, ask, client } = visit
  const again = code.redeemed > 0
  const ending = underWay()
  // Redeeming a code for the second time revokes the grant.
  if (again) grant.endings.push(ending)
  const answer = await ask({
    kind: again ? 'code redeemed again' : 'token (authorization_code)',
    gateway: anyGateway(crew),
    path: '/oauth/token',
    form: { grant_type: 'authorization_code', code: code.code, code_verifier: verifier, ...client },
    allowed: again ? [200, 400] : [200, 400],
  })
  if (again) settle(ending, answer.status === 400 && answer.error === 'invalid_grant')
  else if (answer.status === 400 && !mayBeOver(visit))
    crew.journal.complain(answer, 'a valid code was refused')
  if (answer.status !== 200) return undefined
  code.redeemed += 1
  const { access_token: token, refresh_token: refreshToken } = JSON.parse(answer.text)
  if (refreshToken) grant.refreshTokens.push(refreshToken)
  return crew.ledger.issue(token, grant, answer)
}

/** Redeems a code on both gateways at the same moment, as a thief and an app do. One of them wins, and the other revokes what it got. */
async function redeemTwice(
  { crew, ask, client }: Visit,
  grant: Grant,
  code: Code,
  verifier: string,
): Promise<boolean> {
  const form = { grant_type: 'authorization_code', code: code.code, code_verifier: verifier, ...client }
  const ending = underWay()
  grant.endings.push(ending)
  const answers = await Promise.all(
    replicas.map((gateway) =>
      ask({ kind: 'code redeemed twice at once', gateway, path: '/oauth/token', form, allowed: [200, 400] }),
    ),
  )
  settle(ending, false)
  for (const answer of answers) {
    if (answer.status !== 200) continue
    code.redeemed += 1
    const issued = crew.ledger.issue(JSON.parse(answer.text).access_token, grant, answer)
    for (const gateway of replicas) await introspect(crew, ask, issued, gateway)
  }
  return true
}

async function revokeGrant({ crew, ask, client }: Visit, grant: Grant): Promise<void> {
  const token = grant.refreshTokens.at(-1)
  if (!token) return
  const ending = underWay()
  grant.endings.push(ending)
  const answer = await ask({
    kind: 'revoke (refresh token)',
    gateway: anyGateway(crew),
    path: '/oauth/revoke',
    form: { token, ...client },
    allowed: [200],
  })
  settle(ending, answer.status === 200)
}

async function withdraw(visit: Visit): Promise<void> {
  const { crew, ask, user, client, jar } = visit
  const ending = crew.ledger.begin({ user: user.userId, client: client.client_id })
  const answer = await ask({
    kind: 'consent withdrawn',
    gateway: anyGateway(crew),
    path: '/account/apps/withdraw',
    form: { client_id: client.client_id },
    jar,
    about: { user: user.userId },
    allowed: [302, 303, 401],
  })
  const done = answer.status === 303 && pathOf(answer.headers.get('location')).startsWith('/account')
  settle(ending, done)
  if (!done && answer.status >= 300 && answer.status < 500 && !mayBeOver({ ...visit, began: visit.began }))
    crew.journal.complain(answer, 'the consent was not withdrawn')
}

/** Logs out, and checks that the session has ended. @returns the cookies of a new browser */
async function leave(visit: Visit): Promise<CookieJar> {
  const { crew, ask, jar } = visit
  const kept = new Map(jar)
  if (!jar.has('gatehouse_session')) return new Map()
  const kind = 'logout'
  const answer = await ask({
    kind,
    gateway: anyGateway(crew),
    path: '/auth/logout',
    form: {},
    jar,
    allowed: [302],
  })
  if (answer.status !== 302) return new Map()
  const account = await ask({
    kind: 'account after logout',
    gateway: anyGateway(crew),
    path: '/account',
    jar: kept,
    allowed: [302],
  })
  if (account.status === 200) crew.journal.complain(account, 'the session had not ended after the logout')
  return new Map()
}
