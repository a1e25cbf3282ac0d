import type { App } from '@gatehouse/http/app'
import type { Session } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import { actorOf, administratorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { listSchema } from '../list.ts'
import { placeField, placeOf } from '../place.ts'
import { adminAnswers, done, moment, momentOf } from '../schemas.ts'

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
const params = Type.Object({ user_id: Type.String() })

/** /admin/api/users/{user_id}/sessions. */
export function userSessionRoutes(app: App, deps: AdminDeps): void {
  for (const add of [listUserSessions, endUserSessions, endUserSession]) add(app, deps)
}

function listUserSessions(app: App, deps: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/users/:user_id/sessions',
    schema: {
      operationId: 'listUserSessions',
      summary: 'List a user’s sessions, newest first',
      params,
      response: adminAnswers(
        { 200: listSchema(sessionSchema, 'The sessions.', sessionExample) },
        'not_found',
      ),
    },
    async handler(request) {
      const { sessions } = await deps.identity.listSessions({ userId: request.params.user_id })
      const current = administratorOf(request).sessionId
      return { items: sessions.map((session) => sessionBody(session, current, deps)) }
    },
  })
}

function endUserSessions(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/users/:user_id/sessions',
    schema: {
      operationId: 'endUserSessions',
      summary: 'End all sessions of a user',
      params,
      response: adminAnswers(done('The sessions have ended.'), 'not_found'),
    },
    async handler(request, reply) {
      const userId = request.params.user_id
      await identity.endUserSessions({ userId, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}

function endUserSession(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/users/:user_id/sessions/:session_id',
    schema: {
      operationId: 'endUserSession',
      summary: 'End one session of a user',
      params: Type.Object({ user_id: Type.String(), session_id: Type.String() }),
      response: adminAnswers(done('The session has ended.'), 'not_found'),
    },
    async handler(request, reply) {
      const { user_id: userId, session_id: sessionId } = request.params
      await identity.endUserSessions({ userId, sessionId, actor: actorOf(request) })
      return reply.code(204).send(null)
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
