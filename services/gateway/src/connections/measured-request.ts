import type { IncomingMessage } from 'node:http'

/** Why a body is no longer read. */
export const bodyFaults = ['small_pieces', 'late', 'memory'] as const
/** One of the reasons. */
export type BodyFault = (typeof bodyFaults)[number]

/** Why a reader gets no body: it is read no longer, is larger than the reader takes, or its sender is gone. */
export type NoBody = BodyFault | 'too_large' | 'aborted'

/** How long a body may take from the end of the head on, in milliseconds. */
export const longestBody = 10_000

/** A request whose body this server measures. */
export type MeasuredRequest = IncomingMessage & {
  /**
   * Reads the body into one Buffer. Nothing else may read it.
   * @param most how many bytes it may have
   * @param done called once, with the body or the reason why there is none
   */
  readBody(most: number, done: (body: Buffer | NoBody) => void): void
  /** Calls back once, when the body has come whole, never will, or is of no use any more. */
  whenOver(over: () => void): void
  /**
   * Lets the body be larger and slower than others, because its sender is known. Node's own time-out of a request remains.
   */
  trustSender(): void
}

/** Whether a request has a body by its head (RFC 9112 section 6). */
export function announcesBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Whether a request is one whose body is measured. Requests that a test injects are not. */
export function isMeasured(request: IncomingMessage): request is MeasuredRequest {
  return 'trustSender' in request
}
