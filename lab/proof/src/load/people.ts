import { hash, randomBytes } from 'node:crypto'
import { type CookieJar, hiddenFields } from '@gatehouse/test/browser/browser-login'
import { nameOf } from '../history/names.ts'
import { keepSessionSecret, type User } from './administrator.ts'
import { pathOf } from './asking.ts'
import { anyGateway, type Crew, introspect, rest, revokeAccessToken, revokeRefreshToken } from './callers.ts'
import type { Answer } from './recorder.ts'
import { type Code, redeem, redeemAtOnce, refreshAgain, refreshOld } from './redeeming.ts'
import { type App, ownerOf, reliesOn, type Visit } from './visit.ts'

export const redirectUri = 'https://app.example/cb'

/** Works as a user with an app: logs in and consents, gets and refreshes tokens, and sometimes revokes or withdraws. */
export async function person(crew: Crew, name: string, user: User, app: App): Promise<void> {
  let jar: CookieJar = new Map()
  let session = ''
  while (!crew.signal.aborted) {
    if (user.mayLogIn) {
      // A new address each time, because failed logins are counted by address, even those of a user who was just disabled.
      const address = `10.${Array.from({ length: 3 }, () => Math.floor(crew.random.between(1, 255))).join('.')}`
      const began = crew.recorder.now()
      const visit: Visit = { crew, ask: crew.askFrom(name, address), user, app, jar, session, began }
      const done = await goThrough(visit)
      session = visit.session
      if (!done || crew.random.chance(0.3)) jar = await leave(visit)
    }
    await rest(crew, crew.random.between(150, 500))
  }
}

/** @returns whether every step succeeded */
async function goThrough(visit: Visit): Promise<boolean> {
  const { crew, ask, app } = visit
  const code = await getCode(visit)
  if (!code) return false
  const family = crew.random.chance(0.1) ? await redeemAtOnce(visit, code) : await redeem(visit, code)
  if (!family) return false
  crew.wallet.keepFamily(family)
  const rounds = Math.floor(crew.random.between(0, 5))
  for (let round = 0; round < rounds && !crew.signal.aborted; round += 1) {
    if (!(await refreshAgain(visit, family))) return true
    await rest(crew, crew.random.between(50, 250))
  }
  await introspect(ask, family.newest, anyGateway(crew))
  const draw = crew.random.next()
  const newest = family.refreshTokens.at(-1)
  if (draw < 0.1) await revokeAccessToken(crew, ask, app.client, family.newest)
  else if (draw < 0.18 && newest) await revokeRefreshToken(crew, ask, app.client, newest)
  else if (draw < 0.3) await refreshOld(visit, family)
  else if (draw < 0.36) await redeem(visit, code)
  else if (draw < 0.41) await withdraw(visit)
  if (crew.random.chance(0.5)) await introspect(ask, family.newest, anyGateway(crew))
  return true
}

async function getCode(visit: Visit): Promise<Code | undefined> {
  const { crew, ask, app, jar } = visit
  const verifier = randomBytes(32).toString('base64url')
  crew.recorder.keepSecret(verifier)
  const path = `/oauth/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: app.client.client_id,
    redirect_uri: redirectUri,
    scope: app.scope,
    state: 'state',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })}`
  const authorizeOptions = () => ({
    name: 'authorize' as const,
    gateway: anyGateway(crew),
    jar,
    about: { ...ownerOf(visit), relies: reliesOn(visit) },
    hear: (answer: Answer) => {
      const code = codeIn(answer)
      return code === undefined ? {} : { code: nameOf(code) }
    },
    refuses: (answer: Answer) => isRefusal(visit, answer),
  })
  let answer: Answer = await ask({ ...authorizeOptions(), path, allowed: [200, 302] })
  if (answer.status === 302 && pathOf(answer.headers.get('location')).startsWith('/auth/login')) {
    const login = await logIn(visit, pathOf(answer.headers.get('location')))
    if (!login) return undefined
    // The login leads to the page of consent, or to the app, which may get an error.
    answer =
      login.status === 303 && !leadsToApp(login)
        ? await ask({
            ...authorizeOptions(),
            path: pathOf(login.headers.get('location')),
            allowed: [200, 302],
          })
        : login
  }
  if (answer.status === 200) {
    const fields = hiddenFields(answer.text)
    crew.recorder.keepSecret(fields.question ?? '')
    const form = { ...fields, decision: 'allow' }
    answer = await ask({ ...authorizeOptions(), path: '/oauth/consent', form, allowed: [303, 401] })
  }
  const text = codeIn(answer)
  if (text === undefined) {
    if (answer.status === 302 || answer.status === 303) jar.clear()
    return undefined
  }
  crew.recorder.keepSecret(text)
  return { text, verifier, redeemed: false }
}

/** @returns the answer that follows the login; undefined when there is none */
async function logIn(visit: Visit, place: string): Promise<Answer | undefined> {
  const { crew, ask, user, jar } = visit
  const page = await ask({ name: 'page', gateway: anyGateway(crew), path: place, jar, allowed: [200] })
  if (page.status !== 200) return undefined
  visit.session = `${user.username}-${Math.round(crew.recorder.now())}`
  const form = { ...hiddenFields(page.text), username: user.username, password: user.password }
  const login = await ask({
    name: 'log in',
    gateway: anyGateway(crew),
    path: '/auth/login',
    form,
    jar,
    about: { ...ownerOf(visit), username: user.username, relies: reliesOn(visit) },
    hear: (answer) => {
      const code = codeIn(answer)
      return code === undefined ? {} : { code: nameOf(code) }
    },
    refuses: (answer) => isRefusal(visit, answer),
    allowed: [200, 303, 401],
  })
  if (login.status !== 200 && login.status !== 303) return undefined
  keepSessionSecret(crew, jar)
  return login
}

function leadsToApp({ headers }: Answer): boolean {
  return headers.get('location')?.startsWith(redirectUri) === true
}

/** The code in the redirect to the app. */
function codeIn(answer: Answer): string | undefined {
  if (!leadsToApp(answer)) return undefined
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? undefined
}

/** Whether a redirect leads to neither the app with a code nor a page that goes on. */
function isRefusal({ jar }: Visit, answer: Answer): boolean {
  if (answer.status !== 302 && answer.status !== 303) return false
  const location = answer.headers.get('location') ?? ''
  if (leadsToApp(answer)) return codeIn(answer) === undefined && !/temporarily_unavailable/.test(location)
  return pathOf(location).startsWith('/auth/login') && jar.has('gatehouse_session')
}

async function withdraw({ crew, ask, user, app, jar, session, began }: Visit): Promise<void> {
  const clientId = app.client.client_id
  await ask({
    name: 'withdraw',
    gateway: anyGateway(crew),
    path: '/account/apps/withdraw',
    form: { client_id: clientId },
    jar,
    about: {
      ends: { userId: user.userId, clientId },
      relies: { userId: user.userId, clientId, session, since: began },
    },
    refuses: ({ headers }) => !pathOf(headers.get('location')).startsWith('/account'),
    allowed: [302, 303, 401],
  })
}

/** Logs out, and checks that the session has ended. @returns the cookies of a new browser */
async function leave({ crew, ask, jar, session }: Visit): Promise<CookieJar> {
  const kept = new Map(jar)
  if (!jar.has('gatehouse_session')) return new Map()
  const about = session ? { ends: { session } } : {}
  const path = '/auth/logout'
  const answer = await ask({
    name: 'log out',
    gateway: anyGateway(crew),
    path,
    form: {},
    jar,
    about,
    allowed: [302],
  })
  // An account page after the logout would be a status that is not allowed.
  if (answer.status === 302)
    await ask({ name: 'page', gateway: anyGateway(crew), path: '/account', jar: kept, allowed: [302] })
  return new Map()
}
