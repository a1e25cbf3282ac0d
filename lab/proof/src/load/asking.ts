import { type CookieJar, cookieHeader, keepCookies } from '@gatehouse/test/browser/browser-login'
import type { Heard } from '../history/lines.ts'
import type { Replica } from '../history/replica.ts'
import { type Answer, isPolite, type OperationOptions, outcomeOf, type Recorder } from './recorder.ts'

/** A request of any worker. */
export type Question = OperationOptions & {
  gateway: Replica
  path: string
  method?: string
  form?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  /** The cookies of a browser, which sends the request and stores new cookies here. */
  jar?: CookieJar
  /** The expected statuses, besides a correct 503. */
  allowed: readonly number[]
}

/** Sends a request and records it; never throws. */
export type Ask = (question: Question) => Promise<Answer & { heard: Heard }>

/** How long to wait for an answer, in milliseconds; long, because a gateway may be suspended for a while. */
const patience = 30_000

/**
 * Creates a function with which a worker sends requests.
 * @param client the worker's name in the history
 * @param from the worker's address, as the system sees it
 * @param options.publicUrl the origin of the system's pages
 */
export function createAsk(
  client: string,
  from: string,
  options: { gateways: Record<Replica, string>; publicUrl: string; recorder: Recorder },
): Ask {
  const { recorder, publicUrl, gateways } = options
  return async (question) => {
    const { name, about = {}, hear, refuses, gateway, jar, allowed } = question
    const began = recorder.now()
    let answer: Answer
    try {
      const response = await fetch(
        `${gateways[gateway]}${question.path}`,
        requestOf(question, from, publicUrl),
      )
      const text = await response.text()
      const found = /"error":"(\w+)"|<code>(\w+)<\/code>/.exec(text)
      const error = found?.[1] ?? found?.[2] ?? ''
      const { status, headers } = response
      answer = { gateway, status, error, text, headers, began, ended: recorder.now() }
      if (jar) keepCookies(jar, headers.getSetCookie())
    } catch (error) {
      const { cause, name } = error as Error
      const why = (cause as { code?: string } | undefined)?.code ?? name
      const ended = recorder.now()
      answer = { gateway, status: 0, error: why, text: '', headers: new Headers(), began, ended }
    }
    const { status, error, ended } = answer
    const polite = isPolite(answer)
    const isAllowed = allowed.includes(status)
    const heard = (isAllowed && hear?.(answer)) || {}
    const outcome = outcomeOf(answer, isAllowed && (refuses?.(answer) ?? false))
    recorder.record({
      ...{ client, name, gateway, invoked: began, returned: ended, outcome, status, about, heard },
      ...(error !== '' && { error }),
      ...(status !== 0 && !polite && !isAllowed && { unexpected: 'the status is none of those expected' }),
    })
    return { ...answer, heard }
  }
}

function requestOf(
  { method, form, json, headers, jar }: Question,
  from: string,
  publicUrl: string,
): RequestInit {
  const sent = new Headers({ 'x-forwarded-for': from, ...headers })
  if (jar) {
    sent.set('accept', 'text/html')
    if (jar.size > 0) sent.set('cookie', cookieHeader(jar))
    if (form) {
      sent.set('origin', publicUrl)
      sent.set('sec-fetch-site', 'same-origin')
    }
  }
  if (json !== undefined) sent.set('content-type', 'application/json')
  const body = form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json)
  return {
    method: method ?? (body === null ? 'GET' : 'POST'),
    redirect: 'manual',
    headers: sent,
    body,
    signal: AbortSignal.timeout(patience),
  }
}

/** The path and query of a location, without the system's address. */
export function pathOf(location: string | null): string {
  if (!location) return ''
  const url = new URL(location, 'http://gatehouse.invalid')
  return `${url.pathname}${url.search}`
}
