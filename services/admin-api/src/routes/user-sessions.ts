import type { App } from '@gatehouse/http/app'
import type { Session } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import { administratorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { listSchema } from '../list.ts'
import { operationRoute } from '../operation.ts'
import { placeField, placeOf } from '../place.ts'
import { done, moment, momentOf } from '../schemas.ts'

const sessionSchema = Type.Object(
  {
    session_id: Type.String({
      format: 'uuid',
      description: 'Identifies the session, but does not authenticate anybody.',
    }),
    created_at: moment('When the user logged in.'),
    expires_at: moment('When the session expires.'),
    last_seen_at: Type.Optional(moment('When the session was last used, to within five minutes.')),
    user_agent: Type.String({ description: 'The browser’s User-Agent header.' }),
    ip_address: Type.String(),
    ...placeField,
    current: Type.Boolean({ description: 'Whether this request uses the session.' }),
  },
  { title: 'Session' },
)
const sessionExample = {
  session_id: '019b7a5e-0000-7000-8000-000000000003',
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T12:00:00.000Z',
  user_agent: 'Mozilla/5.0',
  ip_address: '192.0.2.7',
  current: false,
}

/** /admin/api/users/{user_id}/sessions. */
export function userSessionRoutes(app: App, deps: AdminDeps): void {
  const { identity } = deps
  operationRoute(app, {
    route: 'GET /users/:user_id/sessions',
    operationId: 'listUserSessions',
    summary: 'List a user’s sessions, newest first',
    answer: { 200: listSchema(sessionSchema, 'The sessions.', sessionExample) },
    refusals: ['not_found'],
    async perform({ params, request }) {
      const { sessions } = await deps.identity.listSessions({ userId: params.user_id })
      const current = administratorOf(request).sessionId
      return { items: sessions.map((session) => sessionBody(session, current, deps)) }
    },
  })

  operationRoute(app, {
    route: 'DELETE /users/:user_id/sessions',
    operationId: 'endUserSessions',
    summary: 'End all sessions of a user',
    answer: done('The sessions have ended.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => identity.endUserSessions({ userId: params.user_id, actor }),
  })

  operationRoute(app, {
    route: 'DELETE /users/:user_id/sessions/:session_id',
    operationId: 'endUserSession',
    summary: 'End one session of a user',
    answer: done('The session has ended.'),
    refusals: ['not_found'],
    async perform({ params, actor }) {
      const { user_id: userId, session_id: sessionId } = params
      await identity.endUserSessions({ userId, sessionId, actor })
    },
  })
}

function sessionBody(session: Session, current: string | undefined, deps: Pick<AdminDeps, 'places'>) {
  return {
    session_id: session.sessionId,
    created_at: momentOf(session.createdAt),
    expires_at: momentOf(session.expiresAt),
    ...(session.lastSeenAt && { last_seen_at: momentOf(session.lastSeenAt) }),
    user_agent: session.userAgent,
    ip_address: session.ipAddress,
    ...placeOf(session.ipAddress, deps),
    current: session.sessionId === current,
  }
}
