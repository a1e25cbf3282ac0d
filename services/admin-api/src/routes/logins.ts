import type { App } from '@gatehouse/http/app'
import { type LoginAttempt, LoginOutcome } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { placeField, placeOf } from '../place.ts'
import { moment, momentOf } from '../schemas.ts'
import { readTimes, timeFilters } from '../time-filter.ts'

/** The schema of a login attempt. */
export const loginSchema = Type.Object(
  {
    login_id: Type.String({ format: 'uuid' }),
    time: moment('When the login was attempted.'),
    outcome: Type.Enum(['succeeded', 'failed']),
    failure: Type.Optional(
      Type.String({ description: 'Why it failed, such as `wrong_password`; absent if it succeeded.' }),
    ),
    user: Type.Optional(
      Type.Object(
        { id: Type.String(), username: Type.String() },
        {
          description:
            'Absent if no user has the name that was typed. That name is not stored: it may be a password.',
        },
      ),
    ),
    client_id: Type.Optional(
      Type.String({ description: 'The client that needed the login; absent if none did.' }),
    ),
    ip_address: Type.String(),
    ...placeField,
    user_agent: Type.String({ description: 'The browser’s User-Agent header; empty if there was none.' }),
    method: Type.String({ description: '`password`, `password_grant`, or the name of a social provider.' }),
  },
  { title: 'Login' },
)
/** An example of a login attempt. */
export const loginExample = {
  login_id: '019b7a5e-0000-7000-8000-000000000005',
  time: '2026-01-01T00:00:00.000Z',
  outcome: 'failed',
  failure: 'wrong_password',
  user: { id: '019b7a5e-0000-7000-8000-000000000002', username: 'ann' },
  client_id: '<CLIENT_ID>',
  ip_address: '192.0.2.7',
  user_agent: 'Mozilla/5.0',
  method: 'password',
}

/** The values of the parameter `outcome`. */
export const loginOutcomes: Readonly<Record<string, LoginOutcome>> = {
  succeeded: LoginOutcome.LOGIN_OUTCOME_SUCCEEDED,
  failed: LoginOutcome.LOGIN_OUTCOME_FAILED,
}

/** /admin/api/logins. */
export function loginRoutes(app: App, deps: AdminDeps): void {
  listRoute(app, {
    url: '/logins',
    operationId: 'listLogins',
    summary: 'List login attempts of the last 30 days, newest first',
    filters: {
      user_id: Type.Optional(Type.String({ description: 'Only logins of this user.' })),
      client_id: Type.Optional(Type.String({ description: 'Only logins for this client.' })),
      ip_address: Type.Optional(Type.String({ description: 'Only logins from this IP address.' })),
      outcome: Type.Optional(Type.Enum(['succeeded', 'failed'])),
      ...timeFilters,
    },
    item: loginSchema,
    answer: 'The login attempts and their outcomes.',
    example: loginExample,
    async find({ user_id: userId, client_id: clientId, ip_address: ipAddress, ...wanted }) {
      const { cursor, limit, outcome: word, ...times } = wanted
      const { logins, nextCursor } = await deps.identity.listLogins({
        cursor,
        limit,
        userId: userId || undefined,
        clientId: clientId || undefined,
        ipAddress: ipAddress || undefined,
        outcome: (word && loginOutcomes[word]) ?? LoginOutcome.LOGIN_OUTCOME_UNSPECIFIED,
        ...readTimes(times),
      })
      return { items: logins.map((login) => loginBody(login, deps)), nextCursor }
    },
  })
}

/** A login attempt as the API shows it. */
export function loginBody(
  { time, userId, username, clientId, failure, ...login }: LoginAttempt,
  deps: Pick<AdminDeps, 'places'>,
) {
  return {
    login_id: login.loginId,
    time: momentOf(time),
    outcome: failure === undefined ? ('succeeded' as const) : ('failed' as const),
    ...(failure !== undefined && { failure }),
    ...(userId !== undefined && username !== undefined && { user: { id: userId, username } }),
    ...(clientId !== undefined && { client_id: clientId }),
    ip_address: login.ipAddress,
    ...placeOf(login.ipAddress, deps),
    user_agent: login.userAgent,
    method: login.method,
  }
}
