/**
 * One thing that a client asked, and what it heard. Tokens, codes and secrets are in it by the first half of their SHA-256, so that a history can be
 * kept. Times are milliseconds of one monotonic clock, that of the process which asked.
 */
export type Operation = {
  /** The address of the client that asked. */
  client: string
  kind: Kind
  gateway: string
  invoked: number
  returned: number
  /** `unknown`: no answer, or one that says that it may have been done or not. */
  outcome: 'ok' | 'refused' | 'unknown'
  /** The error code of a refusal. */
  error?: string
  /** The ids of what it concerns. */
  of: Subject
  /** What an answer said or gave. */
  gave?: Given
}

/** What is asked, in the words of the RFCs and of the administration. */
export type Kind =
  | 'get code'
  | 'redeem'
  | 'refresh'
  | 'issue'
  | 'introspect'
  | 'revoke'
  | 'withdraw consent'
  | 'disable user'
  | 'end tokens'
  | 'delete client'
  | 'send event'
  | 'rotate key'
  | 'get key set'
  | 'verify'
  | 'other'

/** The ids that an operation names. */
export type Subject = {
  user?: string
  clientId?: string
  code?: string
  token?: string
  event?: string
}

/** What an answer gave. */
export type Given = {
  code?: string
  accessToken?: string
  refreshToken?: string
  /** When the access token expires. */
  expires?: number
  /** The key that signed it. */
  keyId?: string
  active?: boolean
  keyIds?: readonly string[]
  /** For how long a key set may be used from the request on, in milliseconds: what its Cache-Control says. */
  maxAge?: number
}

/** What is read at the end, when everything serves. */
export type FinalState = {
  /** The keys of the events in the stream, in its order. */
  delivered: readonly string[]
  /** The actions in the audit log, with what they changed. */
  audited: readonly { action: string; target: string }[]
}

/** A history, and the state after it. */
export type History = { operations: readonly Operation[]; final: FinalState }

/** Something that may not be. */
export type Finding = { rule: string } & Seen

/** What is wrong, and when it was heard, in milliseconds of the history's clock. */
export type Seen = { text: string; at: number }
