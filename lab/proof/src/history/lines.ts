import type { Fault } from './fault.ts'
import type { Replica } from './replica.ts'

/** A period in milliseconds since the start of the run, by one monotonic clock. */
export type Span = { began: number; ended: number }

/** The owner of what is revoked together. Several of them: what belongs to all of them. */
export type Owner = {
  clientId?: string | undefined
  userId?: string | undefined
  session?: string | undefined
}

/** An access token, by its public claims: its id, its key, and its expiry in milliseconds since the start of the run. */
export type TokenName = { jti: string; kid: string; expires: number }

/**
 * The parameters of an operation. None of them is secret: codes and refresh tokens are digests, access tokens their ids.
 */
export type About = {
  clientId?: string | undefined
  userId?: string | undefined
  session?: string | undefined
  /** The user who logs in. */
  username?: string | undefined
  code?: string | undefined
  refresh?: string | undefined
  token?: string | undefined
  /** The owner of everything that the operation revokes. */
  ends?: Owner | undefined
  /** Whether it also revokes what is issued later, as deleting a client does. */
  forGood?: boolean | undefined
  /** An administrator's action: its name, target and the change in its audit entry. */
  action?: string | undefined
  target?: string | undefined
  change?: string | undefined
  /** When its caller first tried it, if that was earlier. */
  since?: number | undefined
  /** It must succeed unless what these own was revoked since then. */
  relies?: (Owner & { since: number }) | undefined
  /** An event: its key, its sender, and its number among those of the sender. */
  key?: string | undefined
  sender?: string | undefined
  number?: number | undefined
  kid?: string | undefined
}

/** The answer, in the same names. */
export type Heard = {
  token?: TokenName | undefined
  refresh?: string | undefined
  code?: string | undefined
  active?: boolean | undefined
  eventId?: string | undefined
  target?: string | undefined
  /** A key set: its keys, and for how long it may be used from the request on, in milliseconds. */
  kids?: readonly string[] | undefined
  maxAge?: number | undefined
  /** Whether a signature or a link was valid. */
  valid?: boolean | undefined
  mailId?: string | undefined
}

/** `unknown`: no answer came, or one that leaves open whether the operation took effect, such as 503. */
export type Outcome = 'ok' | 'refused' | 'unknown'

/** The kinds of operations that the checker knows; it judges the answers of all others alone. */
export type OperationName =
  | 'issue'
  | 'authorize'
  | 'redeem'
  | 'refresh'
  | 'revoke'
  | 'introspect'
  | 'log out'
  | 'withdraw'
  | 'administer'
  | 'event'
  | 'key set'
  | 'verify'
  | 'mail link'
  | 'log in'
  | 'register'
  | 'page'
  | 'probe'

/** The request of a client and the answer that it heard. */
export type Operation = {
  is: 'operation'
  client: string
  name: OperationName
  gateway: Replica
  invoked: number
  returned: number
  outcome: Outcome
  /** The HTTP status; 0 when no answer came. */
  status: number
  error?: string
  /** Why the answer may never come, by the client's own knowledge. */
  unexpected?: string
  about: About
  heard: Heard
}

/** The findings outside of operations: at the consumers, and in the database after the run. */
export type Observation =
  | { is: 'delivered'; broker: string; position: number; key: string; id: string; digest: string }
  | {
      is: 'logout token'
      at: number
      jti: string
      session: string
      clientId: string
      digest: string
      accepted: boolean
    }
  /** `loginOf`: the user whom it tells of a login with a new browser. */
  | { is: 'mail'; at: number; id: string; digest: string; accepted: boolean; loginOf?: string }
  | { is: 'audit'; at: number; action: string; target: string; change?: string }
  /** The ids of stored access tokens. */
  | { is: 'stored'; tokens: readonly string[] }
  /** The end of the load: everything was reachable from here on. */
  | { is: 'calm'; at: number }

/** The first line. */
export type Header = {
  is: 'header'
  version: 1
  /** When the run began, in ISO 8601. */
  date: string
  seed: number
  /** The longest jump of a process's clock, in milliseconds. */
  clockJump: number
}

/** A fault, at times since the start of the run. */
export type FaultLine = { is: 'fault' } & Fault

/** A line of a history. */
export type Line = Header | Operation | Observation | FaultLine
