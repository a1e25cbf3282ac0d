import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CookieJar, cookieHeader } from '@gatehouse/test/browser/browser-login'
import type { About, Heard } from '../history/lines.ts'
import { adminName } from '../world/world.ts'
import type { Ask } from './asking.ts'
import { anyGateway, type Client, type Crew, clientIn, rest } from './callers.ts'
import type { Answer } from './recorder.ts'

/** A user of the run. */
export type User = { userId: string; username: string; password: string; mayLogIn: boolean }

/** A request of an administrator. */
export type AdminQuestion = {
  method: string
  path: string
  json?: unknown
  /** Which audit entry it leaves, and what it revokes; absent for a request that changes nothing. */
  about?: About
  hear?: (answer: Answer) => Heard
  allowed: readonly number[]
}

/** Sends a request as the administrator. */
export type AdminAsk = (question: AdminQuestion) => ReturnType<Ask>

/** Logs the administrator in. Their session outlasts the run and every restart. */
export async function createAdmin(crew: Crew, address: string): Promise<AdminAsk> {
  const ask = crew.askFrom('administrator', address)
  const jar: CookieJar = new Map()
  while (!crew.signal.aborted && !jar.has('gatehouse_session')) {
    const form = { username: adminName, password: crew.world.adminPassword }
    const path = '/auth/login'
    await ask({ name: 'log in', gateway: anyGateway(crew), path, form, jar, allowed: [303] })
    if (!jar.has('gatehouse_session')) await rest(crew)
  }
  keepSessionSecret(crew, jar)
  return ({ about, ...question }) => {
    const headers = {
      cookie: cookieHeader(jar),
      origin: crew.world.publicUrl,
      'sec-fetch-site': 'same-origin',
    }
    const name = about ? 'administer' : 'probe'
    return ask({ ...question, name, about: about ?? {}, gateway: anyGateway(crew), headers })
  }
}

/** Adds a browser's cookies to the values that must be in no log. */
export function keepSessionSecret({ recorder }: Pick<Crew, 'recorder'>, jar: CookieJar): void {
  for (const value of jar.values()) recorder.keepSecret(decodeURIComponent(value))
}

/** Adds a user with a verified address. */
export async function addUser(crew: Crew, admin: AdminAsk, username: string): Promise<User | undefined> {
  const password = randomBytes(24).toString('base64url')
  crew.recorder.keepSecret(password)
  const answer = await admin({
    method: 'POST',
    path: '/admin/api/users',
    json: { username, password, email: `${username}@example.com`, email_verified: true },
    about: { action: 'user.create' },
    hear: ({ text }) => ({ target: JSON.parse(text).user_id }),
    allowed: [201],
  })
  return answer.status === 201
    ? { userId: answer.heard.target ?? '', username, password, mayLogIn: true }
    : undefined
}

/** Creates a client as the administrator. */
export async function createClient(
  crew: Crew,
  admin: AdminAsk,
  metadata: Record<string, unknown>,
): Promise<Client | undefined> {
  const answer = await admin({
    method: 'POST',
    path: '/admin/api/clients',
    json: metadata,
    about: { action: 'client.create' },
    hear: ({ text }) => ({ target: JSON.parse(text).client_id }),
    allowed: [201],
  })
  return answer.status === 201 ? clientIn(crew, answer.text) : undefined
}

/** Works as the administrator: disables and enables users, revokes tokens, sends mails and rotates the key. */
export async function administrator(
  crew: Crew,
  admin: AdminAsk,
  users: readonly User[],
  clients: readonly Client[],
): Promise<void> {
  const { random, recorder } = crew
  let rotated = Number.NEGATIVE_INFINITY
  for (let round = 1; !crew.signal.aborted; round += 1) {
    await rest(crew, random.between(2_000, 5_000))
    if (crew.signal.aborted) return
    const user = random.pick(users)
    const draw = random.next()
    if (recorder.now() - rotated > 100_000) {
      await rotate(admin)
      rotated = recorder.now()
    } else if (draw < 0.4) await disable(crew, admin, user)
    else if (draw < 0.6) await endTokens(admin, { userId: user.userId }, `users/${user.userId}`)
    else if (draw < 0.75 && clients.length > 0) {
      const { client_id: clientId } = random.pick(clients)
      await endTokens(admin, { clientId }, `clients/${clientId}`)
    } else await sendMail(crew, admin, `mailed-${crew.runName}-${round}`)
  }
}

function rotate(admin: AdminAsk) {
  return admin({
    method: 'POST',
    path: '/admin/api/keys/rotate',
    about: { action: 'signing_key.rotate' },
    // While a key is staged, the answer names it again.
    hear: ({ text }) => ({ target: JSON.parse(text).kid }),
    allowed: [200],
  })
}

async function sendMail(crew: Crew, admin: AdminAsk, username: string): Promise<void> {
  const user = await addUser(crew, admin, username)
  if (!user) return
  await admin({
    method: 'POST',
    path: `/admin/api/users/${user.userId}/mails`,
    json: { kind: 'password_reset' },
    about: { action: 'user.mail', target: user.userId },
    hear: ({ text }) => ({ mailId: JSON.parse(text).mail_id }),
    allowed: [202],
  })
}

/** How long a change may be on its way, in milliseconds: longer than any fault and than the time in which a call is answered. */
const longestJourney = 10_000

async function disable(crew: Crew, admin: AdminAsk, user: User): Promise<void> {
  user.mayLogIn = false
  const change = (disabled: boolean, since: number): Promise<Answer> =>
    admin({
      method: 'PATCH',
      path: `/admin/api/users/${user.userId}`,
      json: { disabled },
      about: {
        ...{ action: 'user.update', target: user.userId, change: `disabled=${disabled}`, since },
        ...(disabled && { ends: { userId: user.userId } }),
      },
      allowed: [200],
    })
  const { status } = await change(true, crew.recorder.now())
  await rest(crew, crew.random.between(500, 2_500))
  // Even when the load has ended: the final questions need the user enabled.
  const since = crew.recorder.now()
  const enable = async () => {
    for (let attempt = 0; attempt < 120; attempt += 1) {
      if ((await change(false, since)).status === 200) return
      await sleep(500)
    }
  }
  await enable()
  if (status !== 200) {
    // Without an answer, the change may still be on its way, and then happen after the user was enabled.
    await sleep(longestJourney)
    await enable()
  }
  user.mayLogIn = true
}

function endTokens(admin: AdminAsk, ends: { userId: string } | { clientId: string }, place: string) {
  const target = place.split('/')[1] ?? ''
  return admin({
    method: 'DELETE',
    path: `/admin/api/${place}/tokens`,
    about: { action: 'tokens.end', target, ends },
    allowed: [204],
  })
}

/** Deletes a client, trying until it is gone. */
export async function deleteClient(crew: Crew, client: Client, admin: AdminAsk): Promise<void> {
  const { client_id: clientId } = client
  const since = crew.recorder.now()
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const answer = await admin({
      method: 'DELETE',
      path: `/admin/api/clients/${clientId}`,
      about: { action: 'client.delete', target: clientId, ends: { clientId }, forGood: true, since },
      // An earlier try without an answer may have deleted the client.
      allowed: attempt === 0 ? [204] : [204, 404],
    })
    if (answer.status === 204 || answer.status === 404) return
    await rest(crew, 1_000)
  }
}
