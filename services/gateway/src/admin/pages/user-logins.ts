import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { type loginProblems, loginProblemWords } from '@gatehouse/admin-api/login-problems'
import type { Places } from '../../places.ts'
import type { UserLogins } from './login-contents.ts'
import { loginFacts } from './logins.ts'
import { pathOf } from './user.ts'

/** The page with which an administrator can solve a problem: below the user's, with the words of its link. */
const solutions: Partial<Record<keyof typeof loginProblems, readonly [path: string, text: string]>> = {
  disabled: ['/enable', 'Enable the user…'],
  no_credentials: ['/password', 'Give a password…'],
  no_password: ['/password', 'Give a password…'],
  second_factor_unusable: ['/reset-factors', 'Remove second factors…'],
  email_unverified: ['/edit', 'Change the address'],
  email_shared: ['/edit', 'Change the address'],
  too_many_codes: ['/reset-factors', 'Remove second factors…'],
}

/** Why a user cannot log in, as their page shows it. */
export async function userLogins(
  userId: string,
  { identity, places }: { identity: Pick<AdminDeps['identity'], 'getLoginProblems'>; places: Places },
): Promise<UserLogins> {
  const found = await identity.getLoginProblems({ userId })
  return {
    problems: found.problems.map(({ code, until, ipAddress }) => ({
      ...loginProblemWords(code),
      until,
      ipAddress,
      link: linkOf(code, userId),
    })),
    lastFailures: found.lastFailures.map((login) => ({
      ...loginFacts(login),
      place: places(login.ipAddress, 'en'),
    })),
  }
}

function linkOf(code: string, userId: string): { path: string; text: string } | undefined {
  const known: Readonly<Record<string, readonly [path: string, text: string]>> = solutions
  const [path, text] = (Object.hasOwn(known, code) ? known[code] : undefined) ?? []
  return path !== undefined && text !== undefined ? { path: `${pathOf(userId)}${path}`, text } : undefined
}
