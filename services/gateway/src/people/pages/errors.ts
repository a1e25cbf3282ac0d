import { notStored } from '@gatehouse/http/app'
import { isPostponed, type Refusal } from '@gatehouse/kit/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { challengeOf, isChallenged } from '../../http/challenge.ts'
import { explainError } from '../../http/explain-error.ts'
import { noteRefusal } from '../../http/requests.ts'
import { textsIn } from '../texts/table.ts'
import { errorContent } from './contents/error-content.ts'
import { languageOf } from './page-language.ts'
import { sendPage } from './pages.ts'

/** Answers an error with a code of the catalogue. Its cause goes to the log only. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = explainError(error as FastifyError)
  // A 503 without a cause is a decision of ours, such as for a provider that is never offered. Anybody can cause those as
  // often as they like, and the request's own log line says enough.
  const { code, description, cause, httpStatus } = refusal
  const decided = httpStatus === 503 && (cause === undefined || isPostponed(refusal))
  if (httpStatus >= 500 && !decided) {
    const { method, routeOptions } = request
    request.log.error({ err: cause ?? refusal, code, method, route: routeOptions.url }, 'refused')
  }
  reply.headers(notStored)
  markRefused(request, reply, refusal)
  const forPeople = request.is404 || request.routeOptions.config.page
  if (forPeople && prefersHtml(request)) return void showError(request, reply, refusal)
  const body =
    code === 'eventing_disabled' ? { error: code } : { error: code, error_description: description }
  reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

/** Answers with a page that explains an error to people. */
function showError(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): FastifyReply {
  const language = languageOf(request)
  return sendPage(reply, 'error', errorContent(request, refusal, textsIn(language)), { language })
}

/** The statuses whose answers say when to try again, and the seconds that they say when the refusal does not. */
export const defaultWait: Readonly<Record<number, number>> = { 429: 60, 503: 1 }

/** Gives an answer the status and headers of a refusal, and notes it for the log. */
export function markRefused(request: FastifyRequest, reply: FastifyReply, refusal: Refusal): void {
  const { code, httpStatus } = refusal
  noteRefusal(request, refusal)
  reply.code(httpStatus)
  if (isChallenged(code, httpStatus)) reply.header('www-authenticate', challengeOf(request, code))
  const retryAfter = refusal.retryAfter ?? defaultWait[httpStatus]
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
}

/** Whether a caller prefers a page to JSON: browsers say so in Accept, programs do not. */
export function prefersHtml(request: FastifyRequest): boolean {
  return request.accepts().type(['json', 'html']) === 'html'
}
