import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { status as grpcStatus, Metadata, type ServiceError } from '@grpc/grpc-js'

/** A request is refused: the caller gets a code of the catalogue and a public description. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  /** Shown to the caller. */
  readonly description: string
  /** For the log only. */
  readonly detail: string | undefined
  /** When to try again, in seconds from now. */
  readonly retryAfter: number | undefined
  /** The code's status, unless HTTP has a more specific one. */
  readonly httpStatus: number

  constructor(
    code: ErrorCode,
    description?: string,
    options: {
      detail?: string
      cause?: unknown
      retryAfter?: number | undefined
      httpStatus?: number
    } = {},
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
 * Whether a refusal asks the caller to try again at a certain time: then nothing has failed, and strangers can cause as many as they
 * like.
 */
export function isPostponed(error: unknown): boolean {
  return error instanceof Refusal && error.httpStatus === 503 && error.retryAfter !== undefined
}

/**
 * Turns a thrown value into the refusal that the caller gets.
 * @param error anything; if it is not a Refusal, it becomes the cause of a server_error
 */
export function toRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal('server_error', undefined, { cause: error })
}

const codeKey = 'gatehouse-error'
const retryAfterKey = 'gatehouse-retry-after'

/**
 * Writes a refusal as a gRPC error: its status, its description, and its code in the trailers.
 * @param refusal the refusal to send to the calling process
 */
export function refusalToGrpc(refusal: Refusal): Partial<ServiceError> {
  const metadata = new Metadata()
  metadata.set(codeKey, refusal.code)
  if (refusal.retryAfter !== undefined) metadata.set(retryAfterKey, String(refusal.retryAfter))
  const name = errorCatalogue[refusal.code].grpcStatus
  return { code: grpcStatus[name], details: refusal.description, metadata }
}

const unavailableStatuses: ReadonlySet<number> = new Set([
  // A peer of the previous release, during an upgrade.
  grpcStatus.UNIMPLEMENTED,
  grpcStatus.UNAVAILABLE,
  grpcStatus.DEADLINE_EXCEEDED,
  grpcStatus.RESOURCE_EXHAUSTED,
  grpcStatus.CANCELLED,
])

/** Whether a call failed because the called process does not have the method: it runs another release. */
export function isUnknownCall(error: unknown): boolean {
  const cause = error instanceof Refusal ? (error.cause as Partial<ServiceError> | undefined) : undefined
  return cause?.code === grpcStatus.UNIMPLEMENTED && !cause.metadata?.get(codeKey).length
}

/**
 * Reads the refusal that the called process sent as a gRPC error. An error without a code of the catalogue comes from
 * the transport: temporarily_unavailable if the peer is away or too slow, otherwise server_error.
 * @param error the error of the call
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
