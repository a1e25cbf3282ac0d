import type { AuditLog } from '@gatehouse/admin-api/deps'
import { actorMessage } from '@gatehouse/kit/actor'
import { cookie, refusing, root, secret, session } from './browser.ts'
import { activeToken, type Changes, client, gateway, issuer } from './gateway.ts'

/** The ways in which an administrator authenticates. */
export const bySession = { cookie: cookie('gatehouse_session', secret) }
export const byToken = { authorization: 'Bearer a.b.c' }

/** The administrator as the actor of an audit entry. */
export const rootActor = actorMessage({
  kind: 'user',
  id: root.userId,
  name: root.username,
  ipAddress: '127.0.0.1',
  userAgent: 'lightMyRequest',
})

/** An access token of a client that may have the scope admin. */
export const adminToken = {
  ...activeToken,
  scope: 'read admin',
  clientId: 'client_a',
  sub: 'client_a',
  username: 'client_a',
  aud: issuer,
  audiences: [],
  ofUser: false,
}

/** The client of that token. */
export const adminClient = { ...client, scope: 'read admin' }

/** A gateway where `secret` is a session of `root`, and every bearer token is `adminToken`, except for the changes. */
export function administered(changes: Changes = {}) {
  return gateway({
    ...changes,
    tokens: { introspect: async () => adminToken, ...changes.tokens },
    identity: {
      getSession: async ({ sessionSecret }) => ({
        session: sessionSecret === secret ? { ...session, user: root } : undefined,
      }),
      ...changes.identity,
    },
    clientRegistry: {
      lookupClients: async () => ({ changed: [adminClient], unknown: [] }),
      ...changes.clientRegistry,
    },
  })
}

/** An audit log of a service of which a test calls only some RPCs. */
export function auditLog(rpcs: Partial<AuditLog>): AuditLog {
  const missing = refusing('server_error')
  return { listAuditEntries: missing, followAuditEntries: missing, eraseUserFromAudit: missing, ...rpcs }
}

/** The administrator as GetUser gives them. */
export const rootUser = {
  userId: 'user-2',
  username: 'root',
  admin: true,
  createdAt: new Date(0),
  disabledAt: undefined,
  hasPassword: true,
  attributes: {},
  socialAccounts: [],
}
