import {
  type FinishLoginResponse,
  type LoginProblem,
  LoginProblemKind,
  type LoginTest,
} from '@gatehouse/proto/connection/v1'
import type { FastifyReply } from 'fastify'
import type { PageUser } from '../pages/page-user.ts'
import { type PageOptions, sendPage } from '../pages/pages.ts'
import type { Texts } from '../texts/table.ts'

type Problems = Texts['loginTest']['problems']

/** The words of each problem. */
const problems: Partial<Record<LoginProblemKind, keyof Problems>> = {
  [LoginProblemKind.LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN]: 'unknownLogin',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_DENIED]: 'denied',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_UNREACHABLE]: 'unreachable',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_BAD_ANSWER]: 'badAnswer',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_DISABLED]: 'disabled',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_NO_CONNECTION]: 'noConnection',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_NOT_INVITED]: 'notInvited',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT]: 'hasAccount',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_NO_MEMBER]: 'noMember',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER]: 'linkedToOther',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_SESSION]: 'session',
  [LoginProblemKind.LOGIN_PROBLEM_KIND_FULL]: 'full',
}

/** In characters: longer values of claims are folded. */
const readable = 120

/** The outcome of a login that was tried: what came, or why nothing did. */
export type TestOutcome =
  | Extract<NonNullable<FinishLoginResponse['outcome']>, { $case: 'test' }>
  | { $case: 'problem'; value: LoginProblem }

/**
 * Answers with the page that shows the result of a login that was tried. Nothing of it is stored.
 * @param test.connection the name of the connection
 * @param test.back the path of the page of the connection, where the user began: one below /account or /admin
 */
export function showLoginTest(
  reply: FastifyReply,
  {
    user,
    connection,
    connectionId,
    back,
    outcome,
  }: {
    user: PageUser | undefined
    connection: string
    connectionId: string
    back: string
    outcome: TestOutcome
  },
  options: Pick<PageOptions, 'language'> = {},
): FastifyReply {
  const test = outcome.$case === 'test' ? outcome.value : undefined
  const kind = outcome.$case === 'problem' ? outcome.value.kind : outcome.value.problem
  const content = {
    ...{ user, connection, back },
    problem: kind === undefined ? undefined : (problems[kind] ?? ('other' as const)),
    detail: outcome.$case === 'problem' ? outcome.value.detail : undefined,
    again: `/auth/login/${connectionId}?${new URLSearchParams({ test: 'yes', return_to: back })}`,
    result: test && resultOf(test),
  }
  return sendPage(reply, 'organizations/login-test', content, options)
}

function resultOf({ claims, problem, wouldCreate, username, attributes, groups, roles, remarks }: LoginTest) {
  return {
    created: wouldCreate && problem === undefined,
    username,
    attributes: factsOf(attributes),
    groups: groups.join(', '),
    roles: roles.map(({ role, resource }) => ({ role, resource })),
    remarks,
    claims: factsOf(claims),
  }
}

/** Values by name, as text. One that is too long to be read at a glance has its beginning. */
function factsOf(values: Readonly<Record<string, unknown>> | undefined) {
  return Object.entries(values ?? {}).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return { name, text, beginning: text.length > readable ? `${text.slice(0, readable)}…` : undefined }
  })
}
