import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import {
  type AuthenticateUserResponse,
  type ChangePasswordResponse,
  IdentityServiceService as identityService,
  type LogInResponse,
  type Session as SessionMessage,
  type Throttled,
  type User as UserMessage,
} from '@gatehouse/proto/identity/v1'
import { type AdminRpcDeps, adminRpcs } from './admin-rpc.ts'
import { authenticateUser } from './authentication.ts'
import {
  answerConsent,
  askConsent,
  type ConsentStore,
  getConsent,
  listConsents,
  type WithdrawalDeps,
  withdrawConsent,
} from './consent.ts'
import { changePassword, type PasswordChangeDeps } from './password-change.ts'
import type { SessionStore } from './session.ts'
import { endSession, getSession, type LoginDeps, listSessions, logIn, type Session } from './session.ts'
import type { SocialLoginDeps } from './social-login.ts'
import { socialRpcs } from './social-rpc.ts'
import type { PublicUser } from './user.ts'

/** What the gRPC face translates to and from. */
export type RpcDeps = {
  login: LoginDeps
  sessions: SessionStore
  passwordChange: PasswordChangeDeps
  consents: ConsentStore
  deliver: WithdrawalDeps['deliver']
  admin: AdminRpcDeps
  social: SocialLoginDeps
}

/** The identity service's RPCs. */
export function identityRpcs(deps: RpcDeps): Implementation {
  const { login, sessions, consents, deliver } = deps
  return implement(identityService, {
    ...adminRpcs(deps.admin),
    ...socialRpcs(deps.social),

    async authenticateUser(request): Promise<AuthenticateUserResponse> {
      const result = await authenticateUser(request, login)
      if (result.outcome === 'right') return { outcome: { $case: 'user', value: userMessage(result.value) } }
      return { outcome: result.outcome === 'throttled' ? throttled(result.retryAfter) : undefined }
    },

    async logIn(request): Promise<LogInResponse> {
      const previousSecret = request.previousSessionSecret || undefined
      const result = await logIn({ ...request, previousSecret }, login)
      if (result.outcome !== 'right')
        return { outcome: result.outcome === 'throttled' ? throttled(result.retryAfter) : undefined }
      const { secret, expiresAt, user } = result.value
      const value = { sessionSecret: secret, expiresAt, user: userMessage(user) }
      return { outcome: { $case: 'session', value } }
    },

    async getSession({ sessionSecret }) {
      const session = await getSession(sessionSecret, sessions)
      return { session: session && sessionMessage(session) }
    },

    async listSessions({ userId }) {
      return { sessions: (await listSessions(userId, sessions)).map(sessionMessage) }
    },

    async endSession(request) {
      await endSession(request, sessions)
      return {}
    },

    async changePassword(request): Promise<ChangePasswordResponse> {
      const result = await changePassword(request, deps.passwordChange)
      switch (result.outcome) {
        case 'changed':
          return { outcome: { $case: 'changed', value: {} } }
        case 'wrong':
          return { outcome: { $case: 'wrongPassword', value: {} } }
        case 'throttled':
          return { outcome: throttled(result.retryAfter) }
        case 'unacceptable':
          return { outcome: { $case: 'unacceptable', value: result.reason } }
      }
    },

    async getConsent(request) {
      return { scope: await getConsent(request, consents) }
    },

    async askConsent(request) {
      return {
        question: await askConsent(request, { consents, randomBytes: login.randomBytes }),
      }
    },

    async answerConsent(request) {
      return { answered: await answerConsent(request, { consents, emit: login.emit }) }
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

function userMessage({ id, username, admin }: PublicUser): UserMessage {
  return { userId: id, username, admin }
}

function sessionMessage({ id, user, ...session }: Session): SessionMessage {
  return { ...session, sessionId: id, user: userMessage(user) }
}

function throttled(retryAfterSeconds: number): { $case: 'throttled'; value: Throttled } {
  return { $case: 'throttled', value: { retryAfterSeconds } }
}
