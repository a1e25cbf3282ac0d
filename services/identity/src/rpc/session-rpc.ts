import type {
  NewSession as NewSessionMessage,
  PendingLogin as PendingLoginMessage,
  Session as SessionMessage,
  User as UserMessage,
} from '@gatehouse/proto/identity/v1'
import type { NewPendingLogin } from '../logins/pending-login.ts'
import type { NewSession } from '../logins/session.ts'
import type { Session } from '../logins/session-store.ts'
import type { PublicUser } from '../users/user.ts'

/** Translates a user into its message. */
export function userMessage({ id, username, adminRole }: PublicUser): UserMessage {
  return { userId: id, username, admin: adminRole === 'owner', adminRole: adminRole ?? undefined }
}

/** Translates a session into its message. */
export function sessionMessage(session: Session): SessionMessage {
  const { id, user, methods, attributeNames, consentedIn, organizationLogins, organizationsOnly, ...fields } =
    session
  return {
    ...fields,
    ...{ sessionId: id, user: userMessage(user), methods: [...methods] },
    attributes: { names: [...attributeNames] },
    consentedIn: consentedIn.length === 0 ? undefined : { consents: [...consentedIn] },
    organizationLogins:
      organizationLogins.length === 0
        ? undefined
        : { logins: organizationLogins.map((login) => ({ ...login, methods: [...login.methods] })) },
    organizationsOnly: organizationsOnly || undefined,
  }
}

/** Translates a session that has just begun, with its secret, into its message. */
export function newSessionMessage({ secret, session }: NewSession): NewSessionMessage {
  const { expiresAt, user } = session
  return { sessionSecret: secret, expiresAt, user: userMessage(user), session: sessionMessage(session) }
}

/** Translates a login that waits for the second factor, with its secret, into its message. */
export function pendingLoginMessage({ secret, expiresAt }: NewPendingLogin): PendingLoginMessage {
  return { secret, expiresAt }
}
