import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  type FinishSocialLoginResponse,
  IdentityServiceService,
  SocialLoginProblemKind as Kind,
} from '@gatehouse/proto/identity/v1'
import {
  beginSocialLogin,
  finishSocialLogin,
  type SocialLoginDeps,
  type SocialOutcome,
  socialLoginLifetime,
} from '../providers/social-login.ts'
import { newSessionMessage, pendingLoginMessage } from './session-rpc.ts'

const problemKinds = {
  'unknown login': Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN,
  denied: Kind.SOCIAL_LOGIN_PROBLEM_KIND_DENIED,
  unreachable: Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNREACHABLE,
  'bad answer': Kind.SOCIAL_LOGIN_PROBLEM_KIND_BAD_ANSWER,
  disabled: Kind.SOCIAL_LOGIN_PROBLEM_KIND_DISABLED,
} satisfies Record<Exclude<SocialOutcome['outcome'], 'right' | 'second factor'>, Kind>

/** The RPCs of logins through social providers. */
export function socialRpcs(deps: SocialLoginDeps) {
  return handlersOf(IdentityServiceService, {
    async listSocialProviders() {
      return { providers: [...deps.providers.keys()] }
    },

    async beginSocialLogin(request) {
      return { ...(await beginSocialLogin(request, deps)), expiresIn: socialLoginLifetime }
    },

    async finishSocialLogin(request): Promise<FinishSocialLoginResponse> {
      const previousSecret = request.previousSessionSecret
      const result = await finishSocialLogin({ ...request, previousSecret }, deps)
      const { returnTo } = result
      if (result.outcome === 'second factor') {
        const login = pendingLoginMessage(result.pending)
        return { outcome: { $case: 'pending', value: { login, returnTo } } }
      }
      if (result.outcome !== 'right')
        return { outcome: { $case: 'problem', value: { kind: problemKinds[result.outcome], returnTo } } }
      const session = newSessionMessage(result.session)
      return { outcome: { $case: 'login', value: { session, returnTo, created: result.created } } }
    },
  })
}
