import { isUuid } from '@gatehouse/kit/formats'
import { networkOf } from '@gatehouse/kit/network'
import { unknownUser } from '../users/user-list.ts'
import type { LoginAttempt, LoginHistoryStore } from './login-history.ts'
import { failureLimits } from './login-throttle.ts'
import { appCodeLimits, type CodeLimit, recoveryCodeLimits } from './second-factor-limit.ts'

/** Something that stands in the way of a user's logins, or limits how they can log in. */
export type LoginProblem = {
  /**
   * disabled; no_credentials: nothing to log in with; no_password: only through a provider or with a passkey; email_unverified and
   * email_shared: not by e-mail address; too_many_failures: wrong passwords; too_many_codes: wrong codes of the second factor;
   * second_factor_missing: the next login must add one; second_factor_unusable: this server cannot check any that they have
   */
  code: string
  /** When it ends by itself; undefined if it does not. */
  until: Date | undefined
  /** The address whose logins alone it stops; undefined for any. */
  ipAddress: string | undefined
}

/** The facts about a user that show why they cannot log in. */
export type LoginFacts = {
  username: string
  disabled: boolean
  hasPassword: boolean
  socialAccounts: number
  passkeys: number
  authenticatorApp: boolean
  recoveryCodesLeft: number
  /** Whether OAUTH2_MFA demands two factors of them. */
  secondFactorRequired: boolean
  email: string | undefined
  emailVerified: boolean
  /** Whether other users have verified the same address: then it finds none of them. */
  emailShared: boolean
  /** The addresses of the failed logins whose counters may still be full. */
  failedFrom: readonly string[]
}

/** A counter of failures that is full. */
export type FullCounter = { kind: string; ipAddress: string | undefined; until: Date }

/** Which counters are wanted. */
export type WantedCounters = {
  userId: string
  /** The names that people type to log in as the user. */
  names: readonly string[]
  sources: readonly { ipAddress: string; network: string }[]
  limits: typeof failureLimits
  codeLimits: readonly CodeLimit[]
}

/** Reads what stands in the way of logins. */
export type LoginProblemStore = {
  facts(userId: string): Promise<LoginFacts | undefined>
  fullCounters(wanted: WantedCounters): Promise<FullCounter[]>
}

/** The needs of finding login problems. */
export type LoginProblemDeps = {
  problems: LoginProblemStore
  loginHistory: Pick<LoginHistoryStore, 'list'>
  /** Whether this server can check passkeys, and codes of authenticator apps. */
  passkeysWork: boolean
  appsWork: boolean
}

/** How many failed logins are told. */
const mostFailures = 5

/**
 * Says what stands in the way of a user's logins now, and which ones failed last.
 * @returns problems: those that stop every login first; lastFailures: newest first
 * @throws Refusal not_found
 */
export async function getLoginProblems(
  userId: string,
  deps: LoginProblemDeps,
): Promise<{ problems: LoginProblem[]; lastFailures: LoginAttempt[] }> {
  const facts = isUuid(userId) ? await deps.problems.facts(userId) : undefined
  if (facts === undefined) throw unknownUser()
  const names = facts.email === undefined ? [facts.username] : [facts.username, facts.email]
  const failed = { userId, outcome: 'failed' } as const
  const [counters, found] = await Promise.all([
    deps.problems.fullCounters({
      userId,
      names,
      sources: facts.failedFrom.map((ipAddress) => ({ ipAddress, network: networkOf(ipAddress) })),
      limits: failureLimits,
      codeLimits: [...appCodeLimits, ...recoveryCodeLimits],
    }),
    deps.loginHistory.list(failed, undefined, mostFailures),
  ])
  const codes = codesOf(facts, deps)
  return {
    problems: [
      ...codes.map((code) => ({ code, until: undefined, ipAddress: undefined })),
      ...limitsOf(counters),
    ],
    lastFailures: found.map(({ item }) => item),
  }
}

function codesOf(facts: LoginFacts, { passkeysWork, appsWork }: LoginProblemDeps): string[] {
  const passkeys = passkeysWork ? facts.passkeys : 0
  const hasFactor = facts.passkeys > 0 || facts.authenticatorApp
  const canProve = passkeys > 0 || (facts.authenticatorApp && appsWork) || facts.recoveryCodesLeft > 0
  const otherWay = facts.socialAccounts > 0 || passkeys > 0
  const problems: Readonly<Record<string, boolean>> = {
    disabled: facts.disabled,
    no_credentials: !facts.hasPassword && !otherWay,
    second_factor_unusable: hasFactor && !canProve,
    no_password: !facts.hasPassword && otherWay,
    second_factor_missing: facts.secondFactorRequired && !hasFactor,
    email_unverified: facts.email !== undefined && !facts.emailVerified,
    email_shared: facts.emailVerified && facts.emailShared,
  }
  return Object.keys(problems).filter((code) => problems[code])
}

/** The counters as problems: one for each address, and one for all, which ends when the last of them does. */
function limitsOf(counters: readonly FullCounter[]): LoginProblem[] {
  const found = new Map<string, LoginProblem>()
  for (const { kind, ipAddress, until } of counters) {
    const code = ['user', 'user_ip', 'ip'].includes(kind) ? 'too_many_failures' : 'too_many_codes'
    const key = `${code} ${ipAddress}`
    const other = found.get(key)?.until
    const last = other !== undefined && other > until ? other : until
    found.set(key, { code, until: last, ipAddress })
  }
  return [...found.values()]
}
