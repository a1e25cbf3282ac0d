import type { App } from '@gatehouse/http/app'
import { adminRoleNames, adminScope, adminScopes } from '@gatehouse/proto/administration'
import { Type } from '@gatehouse/proto/typebox'
import { administratorOf } from '../administrator.ts'
import { adminAnswers } from '../schemas.ts'

const me = Type.Object(
  {
    kind: Type.Enum(['user', 'client']),
    id: Type.String({ description: 'The id of the user or the client.' }),
    name: Type.String(),
    role: Type.Optional(Type.Enum(adminRoleNames, { description: 'Absent for a client.' })),
    scopes: Type.Array(Type.String(), {
      description:
        'What the role, and the access token if there is one, allow; `admin` stands for everything.',
    }),
  },
  {
    title: 'Administrator',
    description: 'Who sent the request.',
    examples: [
      {
        kind: 'user',
        id: '019b7a5e-0000-7000-8000-000000000000',
        name: 'anna.jones',
        role: 'viewer',
        scopes: ['admin:clients:read', 'admin:users:read'],
      },
    ],
  },
)

/** /admin/api/me, for every administrator. */
export function meRoute(app: App): void {
  app.route({
    method: 'GET',
    url: '/me',
    config: { anyAdministrator: true },
    schema: {
      operationId: 'getAdministrator',
      summary: 'Get the administrator who asks',
      description:
        'For everybody with a role, and for every access token with a scope of the administration.',
      security: [{ adminSession: [] }, { adminToken: [] }],
      response: adminAnswers({ 200: me }),
    },
    async handler(request) {
      const { actor, role, may } = administratorOf(request)
      return {
        kind: actor.kind,
        id: actor.id,
        name: actor.name,
        ...(role && { role }),
        scopes: may(adminScope) ? [adminScope] : adminScopes.filter(may),
      }
    },
  })
}
