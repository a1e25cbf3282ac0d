import { actorMessage } from '@gatehouse/kit/actor'
import { cookie, root, secret, session } from './browser.ts'
import { activeToken, type Changes, client, gateway, issuer } from './gateway.ts'

/** How an administrator shows himself, in the ways that there are. */
export const bySession = { cookie: cookie('gatehouse_session', secret) }
export const byToken = { authorization: 'Bearer a.b.c' }

/** Whose actions they are in a log. */
export const rootActor = actorMessage({
  kind: 'user',
  id: root.userId,
  name: root.username,
  ipAddress: '127.0.0.1',
})

/** An access token of a client that an administrator gave the scope to. */
export const adminToken = {
  ...activeToken,
  scope: 'read admin',
  clientId: 'client_a',
  sub: 'client_a',
  aud: issuer,
}

/** The client of that token, which may have the scope. */
export const adminClient = { ...client, scope: 'read admin' }

/** A gateway where `secret` is a session of `root`, and every bearer token is `adminToken`, but for what is changed. */
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
