import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { status as grpcStatus, Metadata, type ServiceError } from '@grpc/grpc-js'

/** What a caller is told when a request is not fulfilled: a code of the catalogue and a public description. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  /** Shown to the caller. */
  readonly description: string
  /** For the log only. */
  readonly detail: string | undefined
  /** When to try again, in seconds from now. */
  readonly retryAfter: number | undefined
  /** Of the code, but where HTTP has a status that says more. */
  readonly httpStatus: number

  constructor(
    code: ErrorCode,
    description?: string,
    options: { detail?: string; cause?: unknown; retryAfter?: number; httpStatus?: number } = {},
  ) {
    const text = description ?? errorCatalogue[code].description
    super(text, options)
    this.code = code
    this.description = text
    this.detail = options.detail
    this.retryAfter = options.retryAfter
    this.httpStatus = options.httpStatus ?? errorCatalogue[code].httpStatus
  }
}

/**
 * Turns whatever was thrown into what the caller is told.
 * @param error anything; what is not a Refusal becomes a server_error that keeps it as its cause
 */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('server_error', undefined, { cause: error })
}

const codeKey = 'gatehouse-error'
const retryAfterKey = 'gatehouse-retry-after'

/**
 * A refusal as a gRPC error: its status, its description, and its code in the trailers.
 * @param refusal what to tell the calling process
 */
export function refusalToGrpc(refusal: Refusal): Partial<ServiceError> {
  const metadata = new Metadata()
  metadata.set(codeKey, refusal.code)
  if (refusal.retryAfter !== undefined) metadata.set(retryAfterKey, String(refusal.retryAfter))
  const name = errorCatalogue[refusal.code].grpcStatus
  return { code: grpcStatus[name], details: refusal.description, metadata }
}

const unavailableStatuses: ReadonlySet<number> = new Set([
  // A peer of the last release, while a system is upgraded.
  grpcStatus.UNIMPLEMENTED,
  grpcStatus.UNAVAILABLE,
  grpcStatus.DEADLINE_EXCEEDED,
  grpcStatus.RESOURCE_EXHAUSTED,
  grpcStatus.CANCELLED,
])

/** Whether a call was refused because the called process does not know it: it is of another release. */
export function isUnknownCall(error: unknown): boolean {
  const cause = error instanceof Refusal ? (error.cause as Partial<ServiceError> | undefined) : undefined
  return cause?.code === grpcStatus.UNIMPLEMENTED && !cause.metadata?.get(codeKey).length
}

/**
 * A gRPC error as the refusal that the called process meant. An error without one of our codes comes from the
 * transport: a peer that is away or too slow is temporarily_unavailable, all else server_error.
 * @param error what the call gave
 */
export function refusalFromGrpc(error: ServiceError): Refusal {
  const code = error.metadata?.get(codeKey)[0]
  if (typeof code === 'string' && Object.hasOwn(errorCatalogue, code)) {
    const seconds = Number(error.metadata.get(retryAfterKey)[0])
    const when = Number.isInteger(seconds) ? { retryAfter: seconds } : {}
    return new Refusal(code as ErrorCode, error.details, { cause: error, ...when })
  }
  const unavailable = unavailableStatuses.has(error.code)
  return new Refusal(unavailable ? 'temporarily_unavailable' : 'server_error', undefined, { cause: error })
}
