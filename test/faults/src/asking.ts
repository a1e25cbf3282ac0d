import { type CookieJar, cookieHeader, keepCookies } from '@gatehouse/test/browser-login'
import type { Answer, Journal } from './journal.ts'
import type { Replica } from './world.ts'

/** A request of any worker. */
export type Question = {
  /** The name under which it is counted. */
  kind: string
  gateway: Replica
  path: string
  method?: string
  form?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  /** The cookies of a browser, which sends the request and stores new cookies here. */
  jar?: CookieJar
  /** The ids that it concerns and that the request does not name, for the history. */
  about?: { user?: string; clientId?: string }
  /** The expected statuses, besides a correct 503. */
  allowed: readonly number[]
}

/** When a request was sent and answered, by the monotonic clock of this process. */
export type Times = { invoked: number; returned: number }

/** Sends a request and notes the answer in the journal; never throws. */
export type Ask = (question: Question) => Promise<Answer>

/** How long to wait for an answer, in milliseconds; long, because a gateway may be suspended for a while. */
const patience = 30_000

/**
 * Creates a function with which a worker sends requests.
 * @param from the worker's address, as the system sees it
 * @param options.publicUrl the origin of the system's pages
 */
export function createAsk(
  from: string,
  options: {
    gateways: Record<Replica, string>
    publicUrl: string
    journal: Journal
    /** Notes each request in the history. */
    record?(from: string, question: Question, answer: Answer, times: Times): void
  },
): Ask {
  return async (question) => {
    const { kind, gateway, path, method, form, json, headers, jar, allowed } = question
    const sent = new Headers({ 'x-forwarded-for': from, ...headers })
    if (jar) {
      sent.set('accept', 'text/html')
      if (jar.size > 0) sent.set('cookie', cookieHeader(jar))
      if (form) {
        sent.set('origin', options.publicUrl)
        sent.set('sec-fetch-site', 'same-origin')
      }
    }
    if (json !== undefined) sent.set('content-type', 'application/json')
    const body = form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json)
    const [began, invoked] = [Date.now(), performance.now()]
    let answer: Answer
    try {
      const response = await fetch(`${options.gateways[gateway]}${path}`, {
        method: method ?? (body === null ? 'GET' : 'POST'),
        redirect: 'manual',
        headers: sent,
        body,
        signal: AbortSignal.timeout(patience),
      })
      const text = await response.text()
      const found = /"error":"(\w+)"|<code>(\w+)<\/code>/.exec(text)
      const error = found?.[1] ?? found?.[2] ?? ''
      const { status } = response
      answer = { kind, gateway, status, error, text, headers: response.headers, began, ended: Date.now() }
      if (jar) keepCookies(jar, response.headers.getSetCookie())
    } catch (error) {
      const { cause, name } = error as Error
      const why = (cause as { code?: string } | undefined)?.code ?? name
      const headers = new Headers()
      answer = { kind, gateway, status: 0, error: why, text: '', headers, began, ended: Date.now() }
    }
    options.journal.note(answer, allowed)
    options.record?.(from, question, answer, { invoked, returned: performance.now() })
    return answer
  }
}

/** The path and query of a location, without the system's address. */
export function pathOf(location: string | null): string {
  if (!location) return ''
  const url = new URL(location, 'http://gatehouse.invalid')
  return `${url.pathname}${url.search}`
}
