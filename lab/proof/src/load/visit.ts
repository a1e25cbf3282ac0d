import type { CookieJar } from '@gatehouse/test/browser/browser-login'
import type { Owner } from '../history/lines.ts'
import type { User } from './administrator.ts'
import type { Ask } from './asking.ts'
import type { Client, Crew } from './callers.ts'

/** An app: its client, and the scope for which it asks. */
export type App = { client: Client; scope: string }

/** A flow of a user with their app, in a browser. */
export type Visit = {
  crew: Crew
  ask: Ask
  user: User
  app: App
  jar: CookieJar
  /** The browser's session: a new name for each login. */
  session: string
  /** When the visit began, since the start of the run. */
  began: number
}

/** The condition on which a step of the visit relies: nothing has ended the access of the user or the app since it began. */
export function reliesOn({ user, app, session, began }: Visit, since = began) {
  return { userId: user.userId, clientId: app.client.client_id, ...(session && { session }), since }
}

/** The owner of what the app gets, which ends with the session. */
export function ownerOf({ user, app, session }: Visit): Owner {
  return { userId: user.userId, clientId: app.client.client_id, session }
}
