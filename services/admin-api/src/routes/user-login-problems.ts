import type { App } from '@gatehouse/http/app'
import type { LoginProblem } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { loginProblems, loginProblemWords } from '../login-problems.ts'
import { operationRoute } from '../operation.ts'
import { done, moment, momentOf } from '../schemas.ts'
import { loginBody, loginExample, loginSchema } from './logins.ts'

const problemSchema = Type.Object(
  {
    code: Type.String({
      description: `Such as ${Object.keys(loginProblems)
        .map((code) => `\`${code}\``)
        .join(', ')}.`,
    }),
    explanation: Type.String({ description: 'What stands in the way, in English.' }),
    remedy: Type.String({ description: 'What an administrator can do about it, in English.' }),
    until: Type.Optional(moment('When it ends by itself; absent if it does not.')),
    ip_address: Type.Optional(
      Type.String({ description: 'The address whose logins alone it stops; absent for any.' }),
    ),
  },
  { title: 'LoginProblem' },
)
const problemsSchema = Type.Object(
  {
    problems: Type.Array(problemSchema),
    last_failures: Type.Array(loginSchema, {
      description: 'The last failed logins, newest first, at most 5.',
    }),
  },
  {
    title: 'LoginProblems',
    description: 'The problems, those that stop every login first, and the last failed logins.',
    examples: [
      { problems: [{ code: 'disabled', ...loginProblems.disabled }], last_failures: [loginExample] },
    ],
  },
)

/** /admin/api/users/{user_id}/login-problems, and what helps against wrong passwords. */
export function userLoginProblemsRoutes(app: App, deps: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /users/:user_id/login-problems',
    operationId: 'getLoginProblems',
    summary: 'Say why a user cannot log in',
    answer: { 200: problemsSchema },
    refusals: ['not_found'],
    async perform({ params }) {
      const { user_id: userId } = params
      const { problems, lastFailures } = await deps.identity.getLoginProblems({ userId })
      return {
        problems: problems.map(problemBody),
        last_failures: lastFailures.map((login) => loginBody(login, deps)),
      }
    },
  })

  operationRoute(app, {
    route: 'POST /users/:user_id/unlock',
    operationId: 'unlockUser',
    summary: 'Let a user try passwords again',
    description:
      'Clears what was counted of wrong passwords for the user’s name and e-mail address. What was counted for whole networks stays.',
    answer: done('Nothing is counted for the user any more.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => deps.identity.unlockUser({ userId: params.user_id, actor }),
  })
}

function problemBody({ code, until, ipAddress }: LoginProblem) {
  return {
    code,
    ...loginProblemWords(code),
    ...(until && { until: momentOf(until) }),
    ...(ipAddress !== undefined && { ip_address: ipAddress }),
  }
}
