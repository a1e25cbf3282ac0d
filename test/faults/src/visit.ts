import type { CookieJar } from '@gatehouse/test/browser-login'
import type { User } from './administrator.ts'
import type { Ask } from './asking.ts'
import type { Client, Crew } from './callers.ts'

/** A flow of a user with their app. */
export type Visit = { crew: Crew; ask: Ask; user: User; client: Client; jar: CookieJar; began: number }

/** Whether the user's sessions or grants may have ended since the visit began. */
export function mayBeOver({ crew, user, client, began }: Visit): boolean {
  const { ledger } = crew
  const scopes = [
    { user: user.userId },
    { client: client.client_id },
    { user: user.userId, client: client.client_id },
  ]
  return !user.mayLogIn || scopes.some((scope) => ledger.mayHaveEnded(scope, began))
}
