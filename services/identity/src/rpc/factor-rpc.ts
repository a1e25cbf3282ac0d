import { readActor } from '@gatehouse/kit/actor'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import {
  type EnrolPasskeyResponse,
  type FactorEnrolled as FactorEnrolledMessage,
  IdentityServiceService,
  EnrolmentProblem as Problem,
} from '@gatehouse/proto/identity/v1'
import {
  beginEnrollingApp,
  beginPasskeyEnrolment,
  type Enrolled,
  type EnrolmentDeps,
  type EnrolmentProblem,
  enrolApp,
  enrolPasskey,
} from '../factors/enrolment.ts'
import { removeFactor, renamePasskey, renewRecoveryCodes, resetFactors } from '../factors/factor-change.ts'
import { type FactorListStore, listFactors } from '../factors/factor-list.ts'
import { checkReach } from '../users/limited-administrator.ts'
import type { UserListStore } from '../users/user-list.ts'
import { browserOf, ownerOf, sessionOf, throttled } from './factor-owner-rpc.ts'
import { newSessionMessage } from './session-rpc.ts'

/** The needs of the functions behind the RPCs that enrol and change factors. */
export type FactorRpcDeps = EnrolmentDeps & { list: FactorListStore }

/** The RPCs with which users enrol and change their factors, and administrators reset them. */
export function factorRpcs(deps: FactorRpcDeps, users: Pick<UserListStore, 'get'>) {
  return handlersOf(IdentityServiceService, {
    async beginPasskeyEnrolment({ owner }) {
      return { options: await beginPasskeyEnrolment(ownerOf(owner), deps) }
    },

    async enrolPasskey({ owner, browser, ...given }): Promise<EnrolPasskeyResponse> {
      const enrolled = await enrolPasskey(ownerOf(owner), given, browserOf(browser), deps)
      return typeof enrolled === 'string'
        ? { outcome: { $case: 'problem', value: problems[enrolled] } }
        : { outcome: { $case: 'enrolled', value: enrolledMessage(enrolled) } }
    },

    async beginAppEnrolment({ owner }) {
      return (await beginEnrollingApp(ownerOf(owner), deps)) ?? {}
    },

    async enrolApp({ owner, code, browser }) {
      const result = await enrolApp(ownerOf(owner), code, browserOf(browser), deps)
      switch (result.outcome) {
        case 'right':
          return { outcome: { $case: 'enrolled', value: enrolledMessage(result.value) } }
        case 'wrong':
          return { outcome: { $case: 'wrong', value: {} } }
        case 'throttled':
          return { outcome: throttled(result.retryAfter) }
      }
    },

    async listFactors({ userId }) {
      const { passkeys, app, recoveryCodesLeft } = await listFactors(userId, deps.list)
      return {
        passkeys: passkeys.map(({ id, ...passkey }) => ({ ...passkey, passkeyId: id })),
        app,
        recoveryCodesLeft,
        passkeysOffered: deps.relyingParty !== undefined,
        appsOffered: deps.seeds !== undefined,
      }
    },

    async renamePasskey({ sessionSecret, passkeyId: id, name }) {
      await renamePasskey(sessionOf(sessionSecret), { id, name }, deps)
      return {}
    },

    async removeFactor({ sessionSecret, factorId }) {
      await removeFactor(sessionOf(sessionSecret), factorId, deps)
      return {}
    },

    async renewRecoveryCodes({ sessionSecret }) {
      return { recoveryCodes: [...(await renewRecoveryCodes(sessionOf(sessionSecret), deps))] }
    },

    async resetFactors({ actor: sent, ...which }) {
      const actor = readActor(sent)
      await checkReach(which.userId, actor, users)
      await resetFactors(which, actor, deps)
      return {}
    },
  })
}

const problems: Record<EnrolmentProblem, Problem> = {
  invalid: Problem.ENROLMENT_PROBLEM_UNSPECIFIED,
  taken: Problem.ENROLMENT_PROBLEM_TAKEN,
  'too many': Problem.ENROLMENT_PROBLEM_TOO_MANY,
}

function enrolledMessage({ recoveryCodes, session }: Enrolled): FactorEnrolledMessage {
  return { recoveryCodes: [...recoveryCodes], session: session && newSessionMessage(session) }
}
