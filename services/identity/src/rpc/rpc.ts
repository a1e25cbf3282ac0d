import { answerEach } from '@gatehouse/kit/rpc/batch-items'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import {
  type AuthenticateUserResponse,
  type ChangePasswordResponse,
  type GetSessionRequest,
  IdentityServiceService as identityService,
  type LogInResponse,
} from '@gatehouse/proto/identity/v1'
import type { OwnAccountDeps } from '../accounts/own-account.ts'
import { changePassword, type PasswordChangeDeps } from '../accounts/password-change.ts'
import { authenticateUser } from '../logins/authentication.ts'
import {
  type ConsentStore,
  grantConsent,
  listConsents,
  type WithdrawalDeps,
  withdrawConsent,
} from '../logins/consent.ts'
import type { LoginHistoryStore } from '../logins/login-history.ts'
import type { LoginProblemDeps } from '../logins/login-problem.ts'
import { endSession, getSession, type LoginDeps, listSessions, logIn } from '../logins/session.ts'
import type { SessionStore } from '../logins/session-store.ts'
import type { SocialLoginDeps } from '../providers/social-login.ts'
import { changeOwnAttributes, getUserClaims, type UserAttributeStore } from '../users/user-attributes.ts'
import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
import { throttled } from './factor-owner-rpc.ts'
import { type FactorRpcDeps, factorRpcs } from './factor-rpc.ts'
import { type GroupRpcDeps, groupRpcs } from './group-rpc.ts'
import { loginHistoryRpcs } from './login-history-rpc.ts'
import { ownAccountRpcs } from './own-account-rpc.ts'
import { type RoleRpcDeps, roleRpcs } from './role-rpc.ts'
import { type SecondFactorRpcDeps, secondFactorRpcs } from './second-factor-rpc.ts'
import { newSessionMessage, pendingLoginMessage, sessionMessage, userMessage } from './session-rpc.ts'
import { socialRpcs } from './social-rpc.ts'

/** The needs of the domain functions behind the RPCs. */
export type RpcDeps = {
  login: LoginDeps
  sessions: SessionStore
  passwordChange: PasswordChangeDeps
  consents: ConsentStore
  deliver: WithdrawalDeps['deliver']
  admin: AdminRpcDeps
  groups: GroupRpcDeps
  roles: RoleRpcDeps
  loginHistory: LoginHistoryStore
  loginProblems: Omit<LoginProblemDeps, 'loginHistory'>
  social: SocialLoginDeps
  attributes: UserAttributeStore
  factors: FactorRpcDeps & SecondFactorRpcDeps
  ownAccount: OwnAccountDeps
  /** The names and ids that users have or are about to have, among these. */
  findTakenNames(names: readonly string[]): Promise<string[]>
  log: Logger
}

/** The identity service's RPCs. */
export function identityRpcs(deps: RpcDeps): Implementation {
  const { login, sessions, consents, deliver } = deps

  async function sessionOf({ sessionSecret, clientId, anyLogin }: GetSessionRequest) {
    const session = await getSession(sessionSecret, sessions, clientId, anyLogin)
    return { session: session && sessionMessage(session) }
  }

  return implement(identityService, {
    ...adminRpcs(deps.admin),
    ...groupRpcs(deps.groups),
    ...roleRpcs(deps.roles),
    ...socialRpcs(deps.social),
    ...loginHistoryRpcs(deps.loginHistory, deps.loginProblems),
    ...factorRpcs(deps.factors, deps.admin.list),
    ...secondFactorRpcs(deps.factors),
    ...ownAccountRpcs(deps.ownAccount),

    findTakenNames: async ({ names }) => ({ taken: await deps.findTakenNames(names) }),

    findUsedClients: async ({ clientIds }) => ({ clientIds: await consents.findClients(clientIds) }),

    async forgetClients({ clientIds }) {
      await consents.forgetClients(clientIds)
      return {}
    },

    async authenticateUser(request): Promise<AuthenticateUserResponse> {
      const result = await authenticateUser(request, login)
      if (result.outcome === 'right') return { outcome: { $case: 'user', value: userMessage(result.value) } }
      return { outcome: result.outcome === 'throttled' ? throttled(result.retryAfter) : undefined }
    },

    async logIn(request): Promise<LogInResponse> {
      const result = await logIn({ ...request, previousSecret: request.previousSessionSecret }, login)
      switch (result.outcome) {
        case 'right':
          return { outcome: { $case: 'session', value: newSessionMessage(result.value) } }
        case 'second factor':
          return { outcome: { $case: 'pending', value: pendingLoginMessage(result.pending) } }
        case 'throttled':
          return { outcome: throttled(result.retryAfter) }
        case 'wrong':
          return { outcome: undefined }
      }
    },

    getSession: sessionOf,

    async getSessions({ items }) {
      return { results: await answerEach(identityService.getSessions, items, sessionOf, deps.log) }
    },

    async listSessions({ userId }) {
      return { sessions: (await listSessions(userId, sessions)).map(sessionMessage) }
    },

    async endSession(request) {
      await endSession(request, { sessions, deliver })
      return {}
    },

    async changePassword(request): Promise<ChangePasswordResponse> {
      const result = await changePassword(request, deps.passwordChange)
      const unacceptableCode = result.outcome === 'unacceptable' ? result.code : undefined
      switch (result.outcome) {
        case 'changed':
          return { outcome: { $case: 'changed', value: {} }, unacceptableCode }
        case 'wrong':
          return { outcome: { $case: 'wrongPassword', value: {} }, unacceptableCode }
        case 'throttled':
          return { outcome: throttled(result.retryAfter), unacceptableCode }
        case 'unacceptable':
          return { outcome: { $case: 'unacceptable', value: result.reason }, unacceptableCode }
      }
    },

    async changeOwnAttributes(request) {
      await changeOwnAttributes(request, deps.attributes)
      return {}
    },

    async getUserClaims({ userIds }) {
      const users = await getUserClaims(userIds, deps.attributes)
      return { users: users.map(({ id, ...claims }) => ({ ...claims, userId: id })) }
    },

    async grantConsent({ sessionSecret, ...consent }) {
      const session = await grantConsent({ ...consent, secret: sessionSecret }, consents)
      return { session: session && sessionMessage(session) }
    },

    async listConsents({ userId }) {
      return { consents: await listConsents(userId, consents) }
    },

    async withdrawConsent(request) {
      await withdrawConsent(request, { consents, deliver })
      return {}
    },
  })
}
