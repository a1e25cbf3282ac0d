import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  type GetSecondFactorResponse,
  IdentityServiceService,
  type ProveSecondFactorRequest,
  type ProveSecondFactorResponse,
  SecondFactorTask as Task,
} from '@gatehouse/proto/identity/v1'
import { passkeyQuestion } from '../factors/passkey.ts'
import { beginPasskeyLogin, logInWithPasskey, type PasskeyLoginDeps } from '../factors/passkey-login.ts'
import { type GivenFactor, proveSecondFactor, type SecondFactorDeps } from '../factors/second-factor-proof.ts'
import { hasFactor, mustProve } from '../logins/second-factor.ts'
import { browserOf, ownerOf, throttled } from './factor-owner-rpc.ts'
import { newSessionMessage, userMessage } from './session-rpc.ts'

/** The needs of the functions behind the RPCs with which users prove factors. */
export type SecondFactorRpcDeps = SecondFactorDeps & PasskeyLoginDeps

/** The RPCs with which users prove second factors, and log in with passkeys alone. */
export function secondFactorRpcs(deps: SecondFactorRpcDeps) {
  return handlersOf(IdentityServiceService, {
    async getSecondFactor({ owner: message }): Promise<GetSecondFactorResponse> {
      const owner = ownerOf(message)
      const state = await deps.owners.find(owner)
      if (state === undefined) return { secondFactor: undefined }
      const { user, passkeys, totp, recoveryCodesLeft, fresh } = state
      const proves = mustProve(state)
      const ceremony = { purpose: 'second_factor', ownerDigest: owner.digest } as const
      const asks = proves && passkeys.length > 0
      return {
        secondFactor: {
          user: userMessage(user),
          task: proves ? Task.SECOND_FACTOR_TASK_PROVE : hasFactor(state) ? nothing : enrol,
          passkeyOptions: asks
            ? await passkeyQuestion(ceremony, { passkeys, verifyUser: false }, deps)
            : undefined,
          app: totp,
          recoveryCodesLeft,
          passkeysOffered: deps.relyingParty !== undefined,
          appsOffered: deps.seeds !== undefined,
          fresh,
        },
      }
    },

    async proveSecondFactor(request): Promise<ProveSecondFactorResponse> {
      const { owner, browser } = request
      const result = await proveSecondFactor(ownerOf(owner), givenIn(request), browserOf(browser), deps)
      switch (result.outcome) {
        case 'right':
          return { outcome: { $case: 'session', value: newSessionMessage(result.value) } }
        case 'wrong':
          return { outcome: { $case: 'wrong', value: {} } }
        case 'throttled':
          return { outcome: throttled(result.retryAfter) }
        case 'ended':
          return { outcome: { $case: 'ended', value: {} } }
      }
    },

    async beginPasskeyLogin() {
      const { lifetime: expiresIn, ...question } = await beginPasskeyLogin(deps)
      return { ...question, expiresIn }
    },

    async logInWithPasskey({ browser, ...answer }) {
      const result = await logInWithPasskey({ ...answer, ...browserOf(browser) }, deps)
      return { session: result.outcome === 'right' ? newSessionMessage(result.value) : undefined }
    },
  })
}

const nothing = Task.SECOND_FACTOR_TASK_UNSPECIFIED
const enrol = Task.SECOND_FACTOR_TASK_ENROL

const kinds = { appCode: 'totp', recoveryCode: 'recovery_code', passkey: 'passkey' } as const

/** @throws Refusal invalid_request */
function givenIn({ factor }: ProveSecondFactorRequest): GivenFactor {
  if (factor === undefined) throw new Refusal('invalid_request', 'The second factor is missing.')
  return { kind: kinds[factor.$case], text: factor.value }
}
