import type { Refusal } from '@gatehouse/kit/errors'
import type { FastifyRequest } from 'fastify'
import type { Texts } from '../../texts/table.ts'
import { explanationOf } from '../translated-refusal.ts'
import type { PeoplePages } from './page-contents.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Where people can go on when this request is refused. Never an app: anybody can register one with any address. */
    continuation?: string | undefined
  }
}

/** The shortest wait that a page mentions, in seconds: nobody reads a page faster. */
const worthMentioning = 5

/** The content of the error page for a refusal: words for people in their language, and words for developers. */
export function errorContent(request: FastifyRequest, refusal: Refusal, texts: Texts): PeoplePages['error'] {
  const { code, description, retryAfter = 0 } = refusal
  const known: Partial<Record<string, { heading: string; advice: string }>> = texts.error.byCode
  const { heading, advice } = (Object.hasOwn(known, code) && known[code]) || texts.error.other
  const wait = code === 'rate_limit_exceeded' && retryAfter >= worthMentioning
  return {
    heading,
    explanation: explanationOf(refusal, texts),
    advice,
    wait: wait ? texts.error.wait(retryAfter) : undefined,
    code,
    description,
    traceId: request.span?.spanContext().traceId,
    ...(request.continuation !== undefined && {
      link: { href: request.continuation, text: texts.login.continue },
    }),
  }
}
