import { type CookieJar, cookieHeader } from '@gatehouse/test/browser-login'
import { anyGateway, type Client, type Crew, rest } from './callers.ts'
import type { Answer } from './journal.ts'
import { settle } from './ledger.ts'
import type { AdminAsk } from './machines.ts'
import { adminName } from './world.ts'

/** A user of the run. */
export type User = { userId: string; username: string; password: string; mayLogIn: boolean }

/** Logs the administrator in. Their session outlasts the run and every restart. */
export async function createAdmin(crew: Crew, address: string): Promise<AdminAsk> {
  const ask = crew.askFrom(address)
  const jar: CookieJar = new Map()
  while (!crew.signal.aborted && !jar.has('gatehouse_session')) {
    const form = { username: adminName, password: crew.world.adminPassword }
    const path = '/auth/login'
    await ask({ kind: 'login', gateway: anyGateway(crew), path, form, jar, allowed: [303] })
    if (!jar.has('gatehouse_session')) await rest(crew)
  }
  noteCookies(crew, jar)
  return (kind, method, path, allowed, json) => {
    const headers = {
      cookie: cookieHeader(jar),
      origin: crew.world.publicUrl,
      'sec-fetch-site': 'same-origin',
    }
    return ask({ kind, gateway: anyGateway(crew), method, path, headers, allowed, json })
  }
}

/** Adds a browser's cookies to the values that must be in no log. */
export function noteCookies({ ledger }: Pick<Crew, 'ledger'>, jar: CookieJar): void {
  for (const value of jar.values()) ledger.confidential.add(decodeURIComponent(value))
}

/** Adds a user. */
export async function addUser(
  crew: Crew,
  admin: AdminAsk,
  username: string,
  password: string,
): Promise<User | undefined> {
  crew.ledger.confidential.add(password)
  const answer = await admin('user added', 'POST', '/admin/api/users', [201], { username, password })
  if (answer.status !== 201) return undefined
  return { userId: JSON.parse(answer.text).user_id, username, password, mayLogIn: true }
}

/** Works as the administrator: disables and enables users, revokes tokens and rotates the key. */
export async function administrator(
  crew: Crew,
  admin: AdminAsk,
  users: readonly User[],
  clients: readonly Client[],
): Promise<void> {
  // The first rotation comes soon, so that a short run has one.
  let keyRotated = Date.now() - 110_000
  while (!crew.signal.aborted) {
    await rest(crew, crew.random.between(4_000, 8_000))
    if (crew.signal.aborted) return
    const user = crew.random.pick(users)
    const draw = crew.random.next()
    if (Date.now() - keyRotated > 120_000) {
      await admin('key rotated', 'POST', '/admin/api/keys/rotate', [200])
      keyRotated = Date.now()
    } else if (draw < 0.6) await disable(crew, admin, user)
    else if (draw < 0.8) await endTokens(crew, admin, { user: user.userId }, `users/${user.userId}`)
    else if (clients.length > 0) {
      const { client_id: client } = crew.random.pick(clients)
      await endTokens(crew, admin, { client }, `clients/${client}`)
    }
  }
}

async function disable(crew: Crew, admin: AdminAsk, user: User): Promise<void> {
  user.mayLogIn = false
  const change = (disabled: boolean): Promise<Answer> =>
    admin(disabled ? 'user disabled' : 'user enabled', 'PATCH', `/admin/api/users/${user.userId}`, [200], {
      disabled,
    })
  const ending = crew.ledger.begin({ user: user.userId })
  settle(ending, (await change(true)).status === 200)
  await rest(crew, crew.random.between(500, 2_500))
  // Even when the load has ended: the final checks need the user enabled.
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if ((await change(false)).status === 200) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  user.mayLogIn = true
}

async function endTokens(
  crew: Crew,
  admin: AdminAsk,
  scope: { user: string } | { client: string },
  place: string,
): Promise<void> {
  const ending = crew.ledger.begin(scope)
  const answer = await admin('tokens ended', 'DELETE', `/admin/api/${place}/tokens`, [204])
  settle(ending, answer.status === 204)
}
