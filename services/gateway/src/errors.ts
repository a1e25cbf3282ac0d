import type { Socket } from 'node:net'
import { Refusal } from '@gatehouse/kit/errors'
import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { type App, notStored } from './app.ts'
import { type Pages, sendPage } from './pages.ts'
import { noteRefusal } from './requests.ts'

/** What fastify itself finds wrong with a request, in our words. */
const fastifyErrors: Record<string, { description: string; httpStatus?: number }> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { description: 'The Content-Type is not one that this address takes.' },
  FST_ERR_CTP_EMPTY_TYPE: { description: 'The Content-Type is missing.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { description: 'The body is larger than 64 KiB.', httpStatus: 413 },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { description: 'The Content-Length is not the length of the body.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { description: 'The body is empty.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { description: 'The body is not JSON.' },
  FST_ERR_BAD_URL: { description: 'The address is malformed.' },
}

/**
 * Answers every error with a code of the catalogue. Why it is so goes to the log alone.
 * @param app the server
 */
export function answerErrors(app: App): void {
  app.setErrorHandler(answerError)

  const methodsByPath = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByPath.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    methodsByPath.set(url, methods)
  })
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = methodsByPath.get(path)
    if (methods === undefined) return sendRefusal(request, reply, new Refusal('not_found'), 404, true)
    reply.header('allow', [...methods].sort().join(', '))
    return sendRefusal(request, reply, new Refusal('method_not_allowed'), 405, true)
  })
}

/**
 * Answers one error: fastify's own too, which it finds before there is a route.
 * @param show answers with a page where people ask; by default one that looks as those for everybody do
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  show: ShowError = showError,
): void {
  const { refusal, httpStatus } = explain(error as FastifyError)
  if (httpStatus >= 500) {
    const { method, routeOptions } = request
    request.log.error(
      { err: refusal.cause ?? refusal, code: refusal.code, method, route: routeOptions.url },
      'refused',
    )
  }
  sendRefusal(request, reply, refusal, httpStatus, undefined, show)
}

/** Answers with a page that explains an error to people. */
export type ShowError = (reply: FastifyReply, content: Pages['error']) => FastifyReply

const showError: ShowError = (reply, content) => sendPage(reply, 'error', content)

/**
 * Answers what is no HTTP request, or one with headers that are too large, and closes the connection.
 * @param note told of each, with its status and why
 */
export function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  note: (status: number, reason: string) => void,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW'
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const [status, description] = tooLarge
    ? ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.']
    : timedOut
      ? ['408 Request Timeout', 'The request was not complete in time.']
      : ['400 Bad Request', 'This is not an HTTP request.']
  note(Number.parseInt(status, 10), description)
  const body = JSON.stringify({ error: 'invalid_request', error_description: description })
  const headers = { ...notStored, 'content-type': 'application/json; charset=utf-8', connection: 'close' }
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`HTTP/1.1 ${status}\r\n${head}\r\n${body}`)
  // Not end(): whoever sends this need not be waited for.
  socket.destroy(error)
}

/** What a person can do about an error that ends at one of our pages. */
function explainForPeople(code: ErrorCode, description: string) {
  const [heading, advice] = advices[code] ?? otherAdvice
  return { heading, description, advice, code }
}

const appIsWrong = 'Go back to the app and try again. If it happens again, tell the people who make the app.'
const otherAdvice = ['This does not work', appIsWrong] as const
const advices: Partial<Record<ErrorCode, readonly [heading: string, advice: string]>> = {
  invalid_request: ['This request does not work', appIsWrong],
  invalid_client: ['This app is not known here', appIsWrong],
  access_denied: ['You may not do this', 'If you think that you should, ask an administrator.'],
  login_required: [
    'You are not logged in any more',
    'Go back to where you came from and start again: you will be asked to log in.',
  ],
  not_found: ['Nothing is here', 'Check the address. If a link brought you here, it is out of date.'],
  method_not_allowed: ['This is no page', 'Go back to where you came from and start again.'],
  rate_limit_exceeded: ['Too many requests', 'Wait a moment, then reload the page.'],
  temporarily_unavailable: [
    'One moment, please',
    'This server is busy or starting. Reload the page in a few seconds.',
  ],
  server_error: [
    'Something went wrong',
    'It is not your fault. Try again; if it happens again, tell an administrator.',
  ],
}

function explain(error: FastifyError): { refusal: Refusal; httpStatus: number } {
  if (error instanceof Refusal && Object.hasOwn(errorCatalogue, error.code)) {
    return { refusal: error, httpStatus: errorCatalogue[error.code].httpStatus }
  }
  const known = fastifyErrors[error.code]
  if (known) {
    return { refusal: new Refusal('invalid_request', known.description), httpStatus: known.httpStatus ?? 400 }
  }
  const fault = error.validation?.[0]
  if (fault) return { refusal: new Refusal('invalid_request', describeFault(fault)), httpStatus: 400 }
  if (error.statusCode === 400) return { refusal: new Refusal('invalid_request'), httpStatus: 400 }
  return { refusal: new Refusal('server_error', undefined, { cause: error }), httpStatus: 500 }
}

/** Names the field, as `redirect_uris.0`, and what it must be. */
function describeFault({ keyword, instancePath, params, message }: FastifySchemaValidationError): string {
  if (keyword === 'required') return `${params.missingProperty} is missing.`
  const field = instancePath.slice(1).replaceAll('/', '.')
  return field === '' ? 'The body is missing or of the wrong kind.' : `${field} ${message}.`
}

/** Gives an answer the status and headers of a refusal that its page explains, and says so in the log. */
export function markRefused(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  noteRefusal(request, refusal)
  reply.code(errorCatalogue[refusal.code].httpStatus)
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter)
}

/** Whether who asks would rather see a page than JSON: a browser does, a program does not say so. */
export function prefersHtml(request: FastifyRequest): boolean {
  return request.accepts().type(['json', 'html']) === 'html'
}

function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  httpStatus: number,
  forPeople = request.routeOptions.config.page,
  show: ShowError = showError,
): FastifyReply {
  const { code, description } = refusal
  reply.headers(notStored)
  // RFC 6749 section 5.2: only who tried the header is told of it. RFC 6750 section 3 for bearer tokens.
  if (code === 'invalid_client' && request.headers.authorization !== undefined) {
    reply.header('www-authenticate', 'Basic realm="gatehouse", charset="UTF-8"')
  }
  if (code === 'invalid_token')
    reply.header('www-authenticate', 'Bearer realm="gatehouse", error="invalid_token"')
  if (code === 'insufficient_scope')
    reply.header('www-authenticate', 'Bearer realm="gatehouse", error="insufficient_scope", scope="admin"')
  const retryAfter = refusal.retryAfter ?? (httpStatus === 503 ? 1 : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  noteRefusal(request, refusal)
  if (forPeople && prefersHtml(request)) {
    return show(reply.code(httpStatus), explainForPeople(code, description))
  }
  const body =
    code === 'eventing_disabled' ? { error: code } : { error: code, error_description: description }
  return reply.code(httpStatus).type('application/json; charset=utf-8').send(JSON.stringify(body))
}
