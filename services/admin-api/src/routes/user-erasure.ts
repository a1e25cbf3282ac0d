import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { known } from '../reach.ts'

/** /admin/api/users/{user_id}/erasure. */
export function userErasureRoute(app: App, { auditLogs, identity }: AdminDeps): void {
  operationRoute(app, {
    route: 'POST /users/:user_id/erasure',
    operationId: 'eraseUser',
    summary: 'Erase what the audit log says of a deleted user',
    description:
      'Their name, addresses and browsers, and the values before and after of what was done to them, become `erased`. The entries stay, with their time, action, target and the id of their actor. The user must be deleted first. It can be done again.',
    body: Type.Object(
      {
        email: Type.Optional(
          Type.String({
            maxLength: 320,
            description:
              'An address of theirs: it is erased from the entries about invitations to it, and from the contacts of clients in entries.',
          }),
        ),
      },
      { title: 'UserErasure', examples: [{ email: 'ann@example.com' }] },
    ),
    answer: {
      200: Type.Object(
        { erased_entries: Type.Integer({ description: 'How many entries were changed.' }) },
        {
          title: 'UserErasureResult',
          description: 'The values are erased.',
          examples: [{ erased_entries: 12 }],
        },
      ),
    },
    refusals: ['invalid_request', 'not_found'],
    async perform({ params: { user_id: userId }, body, actor }) {
      if ((await known(() => identity.getUser({ userId }))) !== undefined)
        throw new Refusal('invalid_request', 'This user exists: delete them first.')
      const asked = { userId, email: body.email || undefined, actor }
      const erased = await Promise.all(auditLogs.map((log) => log.eraseUserFromAudit(asked)))
      return { erased_entries: erased.reduce((sum, { entries }) => sum + entries, 0) }
    },
  })
}
