import { quote } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import type { FastifyError } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'

const tooLarge = { httpStatus: 413 }
/** Our descriptions of fastify's own errors. */
const fastifyErrors: Readonly<Record<string, [description: string, options?: { httpStatus: number }]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['The Content-Type is not supported here.'],
  FST_ERR_CTP_EMPTY_TYPE: ['The Content-Type is missing.'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['The body is too large.', tooLarge],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['The Content-Length is not the length of the body.'],
}

/** The codes for the statuses that fastify and its plugins give. Any other status means a malformed request. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  403: 'access_denied',
  404: 'not_found',
  405: 'method_not_allowed',
  429: 'rate_limit_exceeded',
}

/** Translates an error of any origin into what the caller is told. */
export function explainError(error: FastifyError | Refusal): Refusal {
  if (error instanceof Refusal) {
    if (Object.hasOwn(errorCatalogue, error.code)) return error
    return new Refusal('server_error', undefined, { cause: error })
  }
  const known = fastifyErrors[error.code]
  if (known) return new Refusal('invalid_request', ...known)
  const fault = error.validation?.[0]
  if (fault) return invalid(fault, error.validationContext)
  // An error of fastify or a plugin. Its message may contain the caller's text, even an access token.
  const { statusCode: httpStatus = 500 } = error
  if (httpStatus >= 400 && httpStatus < 500)
    return new Refusal(codesByStatus[httpStatus] ?? 'invalid_request', undefined, { httpStatus })
  return new Refusal('server_error', undefined, { cause: error })
}

/** Names the field, such as `redirect_uris.0`, and says what it must be. */
function invalid(
  { keyword, instancePath, params, message }: FastifySchemaValidationError,
  where?: string,
): Refusal {
  if (keyword === 'required') return new Refusal('invalid_request', `${params.missingProperty} is missing.`)
  if (keyword === 'additionalProperties') {
    const kind = where === 'querystring' ? 'parameter' : 'field'
    const name = quote(String(params.additionalProperty))
    // A secret that was sent in the wrong place may have become the name, so the name must not get into the log.
    const detail = `an unknown ${kind}`
    return new Refusal('invalid_request', `The ${kind} ${name} is unknown here.`, { detail })
  }
  const field = instancePath.slice(1).replaceAll('/', '.')
  if (field === '') return new Refusal('invalid_request', 'The body is missing or of the wrong kind.')
  return new Refusal('invalid_request', `${field} ${mustBe(keyword, params) ?? message}.`)
}

/** The rule for a field, for the cases in which the validator's message has quotes (RFC 6749 section 5.2 forbids them). */
function mustBe(keyword: string, params: FastifySchemaValidationError['params']): string | undefined {
  if (keyword === 'enum') return `must be one of ${String(params.allowedValues).replaceAll(',', ', ')}`
  if (keyword !== 'format') return undefined
  return params.format === 'date-time'
    ? 'must be a time such as 2026-01-01T00:00:00Z'
    : `must have the format ${params.format}`
}
