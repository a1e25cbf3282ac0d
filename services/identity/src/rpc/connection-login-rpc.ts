import { Refusal } from '@gatehouse/kit/errors'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  type BeginLoginResponse,
  ConnectionLoginServiceService,
  type FinishLoginResponse,
  LoginProblemKind as Kind,
  LoginPurpose as PurposeMessage,
} from '@gatehouse/proto/connection/v1'
import { isConnectionId } from '@gatehouse/proto/connections'
import type { ConnectionStore } from '../connections/connection.ts'
import type { ConnectionLoginDeps, ConnectionProblem } from '../connections/connection-login.ts'
import { beginConnectionLogin } from '../connections/login-begin.ts'
import { type FinishedConnectionLogin, finishConnectionLogin } from '../connections/login-finish.ts'
import type { LoginTest } from '../connections/login-test.ts'
import { findByAddress, findOffer, listOffers, type OfferDeps } from '../connections/offer.ts'
import { connectionLoginLifetime, type LoginPurpose } from '../connections/pending-connection-login.ts'
import { endUpstream, type UpstreamLogoutDeps } from '../connections/upstream-logout.ts'
import { newSessionMessage, pendingLoginMessage } from './session-rpc.ts'

/** The needs of the domain functions behind the RPCs about logins by connections. */
export type ConnectionLoginRpcDeps = ConnectionLoginDeps &
  OfferDeps &
  UpstreamLogoutDeps & { connections: Pick<ConnectionStore, 'get'> }

const problemKinds = {
  'unknown login': Kind.LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN,
  denied: Kind.LOGIN_PROBLEM_KIND_DENIED,
  unreachable: Kind.LOGIN_PROBLEM_KIND_UNREACHABLE,
  'bad answer': Kind.LOGIN_PROBLEM_KIND_BAD_ANSWER,
  disabled: Kind.LOGIN_PROBLEM_KIND_DISABLED,
  'no connection': Kind.LOGIN_PROBLEM_KIND_NO_CONNECTION,
  'not invited': Kind.LOGIN_PROBLEM_KIND_NOT_INVITED,
  'has account': Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT,
  'no member': Kind.LOGIN_PROBLEM_KIND_NO_MEMBER,
  'linked to other': Kind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER,
  session: Kind.LOGIN_PROBLEM_KIND_SESSION,
  full: Kind.LOGIN_PROBLEM_KIND_FULL,
} satisfies Record<ConnectionProblem, Kind>

/** The RPCs with which people log in by connections. */
export function connectionLoginRpcs(deps: ConnectionLoginRpcDeps): Implementation {
  return implement(ConnectionLoginServiceService, {
    listOffers: (request) => listOffers(request, deps),

    getOffer: ({ connectionId }) => findOffer(connectionId, deps),

    findByAddress: async ({ address }) => ({ connectionId: await findByAddress(address, deps) }),

    async beginLogin(request): Promise<BeginLoginResponse> {
      const begun = await beginConnectionLogin({ ...request, purpose: purposeOf(request.purpose) }, deps)
      const { name } = begun
      if ('problem' in begun) return { outcome: problem(begun.problem, begun.detail), name }
      const { authorizationUrl, browserSecret } = begun
      const value = { authorizationUrl, browserSecret, expiresIn: connectionLoginLifetime }
      return { outcome: { $case: 'begun', value }, name }
    },

    async finishLogin({ previousSessionSecret: previousSecret, ...request }): Promise<FinishLoginResponse> {
      const finished = await finishConnectionLogin({ ...request, previousSecret }, deps)
      const { returnTo, name } = finished
      return { outcome: outcomeOf(finished), returnTo, name }
    },

    endUpstream: async (request) => ({ accepted: await endUpstream(request, deps) }),

    async getClientKeys({ connectionId }) {
      const connection = isConnectionId(connectionId) ? await deps.connections.get(connectionId) : undefined
      const { clientPublicKey: key } = connection ?? {}
      return { jwks: connection && { keys: key === undefined ? [] : [key] } }
    },
  })
}

/** @throws Refusal invalid_request */
function purposeOf(message: PurposeMessage): LoginPurpose {
  switch (message) {
    case PurposeMessage.LOGIN_PURPOSE_UNSPECIFIED:
      return 'login'
    case PurposeMessage.LOGIN_PURPOSE_LINK:
      return 'link'
    case PurposeMessage.LOGIN_PURPOSE_TEST:
      return 'test'
    default:
      throw new Refusal('invalid_request', 'purpose is unknown.')
  }
}

function problem(kind: ConnectionProblem, detail: string | undefined) {
  return { $case: 'problem' as const, value: { kind: problemKinds[kind], detail } }
}

function outcomeOf(finished: FinishedConnectionLogin): FinishLoginResponse['outcome'] {
  switch (finished.outcome) {
    case 'right': {
      const { session, created, organizationId, organizationSlug } = finished
      const value = { session: newSessionMessage(session), created, organizationId, organizationSlug }
      return { $case: 'login', value }
    }
    case 'second factor':
      return { $case: 'pending', value: pendingLoginMessage(finished.pending) }
    case 'linked':
      return { $case: 'link', value: { displayName: finished.displayName } }
    case 'test':
      return { $case: 'test', value: testMessage(finished.test) }
    default:
      return problem(finished.outcome, finished.detail)
  }
}

function testMessage({ claims, problem: kind, attributes, groups, roles, remarks, ...test }: LoginTest) {
  return {
    ...test,
    claims: { ...claims },
    problem: kind === undefined ? undefined : problemKinds[kind],
    attributes: { ...attributes },
    groups: [...groups],
    roles: roles.map((role) => ({ ...role })),
    remarks: [...remarks],
  }
}
