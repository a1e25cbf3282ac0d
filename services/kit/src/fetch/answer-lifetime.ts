import type { IncomingHttpHeaders } from 'node:http'

/** How long answers may be used, in seconds. */
export type LifetimeRule = {
  shortest: number
  longest: number
  /** For an answer whose Cache-Control says nothing of it. */
  unsaid: number
}

/** How long an answer may be used without asking again, in seconds (RFC 9111 section 4.2.1), within the limits of a rule. */
export function answerLifetime(
  { 'cache-control': text = '', age }: IncomingHttpHeaders,
  { shortest, longest, unsaid }: LifetimeRule,
): number {
  const directives = text.split(',').map((directive) => directive.trim().toLowerCase())
  if (directives.some((directive) => /^no-(store|cache)\b/.test(directive))) return shortest
  const [, seconds] =
    /^max-age="?(\d{1,10})"?$/.exec(directives.find((one) => one.startsWith('max-age')) ?? '') ?? []
  if (seconds === undefined) return unsaid
  const left = Number(seconds) - (/^\d{1,10}$/.test(age ?? '') ? Number(age) : 0)
  return Math.min(longest, Math.max(shortest, left))
}
