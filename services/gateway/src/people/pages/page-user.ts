import type { AnySession } from '../session/browser-session.ts'

/** The user of the session, as pages show them. */
export type PageUser = {
  username: string
  admin: boolean
  adminRole?: string | undefined
  /** Absent where their login opens the account page: then the head leads there. */
  opensAccount?: false
  /** The page to which the head leads instead of the account page, where their login does not open that. */
  home?: { href: string; name: string }
}

/** The user of a session, as pages show them: no page leads them to where their login opens nothing. */
export function pageUserOf({
  user,
  organizationsOnly,
}: Pick<AnySession, 'user' | 'organizationsOnly'>): PageUser {
  return organizationsOnly ? { ...user, admin: false, adminRole: undefined, opensAccount: false } : user
}
