import { notStored } from '@gatehouse/http/app'
import type { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { challengeOf } from './challenge.ts'
import { explainError } from './explain-error.ts'
import { type Pages, sendPage } from './pages.ts'
import { noteRefusal } from './requests.ts'

/**
 * Answers an error with a code of the catalogue. Its cause goes to the log only.
 * @param show answers people with a page; by default the error page that everybody sees
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  show: ShowError = showError,
): void {
  const refusal = explainError(error as FastifyError)
  // A 503 without a cause is a decision of ours, such as for a provider that is never offered. Anybody can cause those as
  // often as they like, and the request's own log line says enough.
  const { code, description, cause, httpStatus } = refusal
  if (httpStatus >= 500 && (httpStatus !== 503 || cause !== undefined)) {
    const { method, routeOptions } = request
    request.log.error({ err: cause ?? refusal, code, method, route: routeOptions.url }, 'refused')
  }
  reply.headers(notStored)
  markRefused(request, reply, refusal)
  const forPeople = request.is404 || request.routeOptions.config.page
  if (forPeople && prefersHtml(request)) return void show(reply, explainForPeople(code, description))
  const body =
    code === 'eventing_disabled' ? { error: code } : { error: code, error_description: description }
  reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Answers with a page that explains an error to people. */
export type ShowError = (reply: FastifyReply, content: Pages['error']) => FastifyReply

const showError: ShowError = (reply, content) => sendPage(reply, 'error', content)

/** Adds to an error what people can do about it. */
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
    'Your session has ended',
    'Go back to where you came from and start again: you will be asked to log in.',
  ],
  not_found: ['Nothing is here', 'Check the address. If a link brought you here, it is out of date.'],
  method_not_allowed: ['This page does not exist', 'Go back to where you came from and start again.'],
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

/** Gives an answer the status and headers of a refusal, and notes it for the log. */
export function markRefused(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  const { code, httpStatus } = refusal
  noteRefusal(request, refusal)
  reply.code(httpStatus)
  if (httpStatus === 401 || code === 'insufficient_scope')
    reply.header('www-authenticate', challengeOf(request, code))
  const retryAfter = refusal.retryAfter ?? (httpStatus === 503 ? 1 : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
}

/** Whether a caller prefers a page to JSON: browsers say so in Accept, programs do not. */
export function prefersHtml(request: FastifyRequest): boolean {
  return request.accepts().type(['json', 'html']) === 'html'
}
