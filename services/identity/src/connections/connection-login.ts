import type { Emit } from '@gatehouse/kit/events/emission'
import type { NameClaims } from '@gatehouse/kit/rpc/name-claims'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { ConnectionKind } from '@gatehouse/proto/connections'
import type { RecordingDeps } from '../logins/login-history.ts'
import type { MemberSessionDeps } from '../logins/member-session.ts'
import type { BeginningDeps } from '../logins/session.ts'
import type { ProviderFailureKind } from '../providers/social-provider.ts'
import type { ArrivalProblem, ArrivalStore } from './arrival.ts'
import type { ConnectionProviders } from './connection-providers.ts'
import type { ConnectionEncryption } from './connection-secrets.ts'
import type { LoginConnectionStore } from './login-connection.ts'
import type { FindMappableRoles } from './mapping-rule.ts'
import type { ConnectionLoginStore } from './pending-connection-login.ts'

/** Why a login, a link or a try failed. */
export type ConnectionProblem = ProviderFailureKind | 'unknown login' | ArrivalProblem

/** The result of a login, a link or a try, as it is counted. */
export type ConnectionOutcome =
  | 'right'
  | 'second factor'
  | 'linked'
  | 'test'
  | 'not begun'
  | ConnectionProblem

/** The needs of logging in by connections. */
export type ConnectionLoginDeps = Omit<BeginningDeps, 'sessions'> &
  RecordingDeps & {
    sessions: BeginningDeps['sessions'] & MemberSessionDeps['sessions']
    /** OAUTH2_ORGANIZATIONS_ENABLED: without it there are no logins by connections. */
    isOn: boolean
    loginConnections: LoginConnectionStore
    connectionLogins: ConnectionLoginStore
    providers: ConnectionProviders
    arrivals: ArrivalStore
    encryption: ConnectionEncryption | undefined
    findRoles: FindMappableRoles
    /** Keeps the ids of clients from becoming names of users. */
    names: NameClaims
    emit: Emit
    log: Logger
    /** Counts the outcome of what was finished. */
    counted(kind: ConnectionKind, outcome: ConnectionOutcome): void
  }
