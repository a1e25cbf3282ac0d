import type { CookieJar } from '@gatehouse/test/browser-login'
import type { Answer, Journal } from './journal.ts'
import type { Replica } from './world.ts'

/** A request, by whoever sends it. */
export type Question = {
  /** How it is counted. */
  kind: string
  gateway: Replica
  path: string
  method?: string
  form?: Record<string, string>
  json?: unknown
  headers?: Record<string, string>
  /** A browser's cookies: the request is one of a browser, and they are kept. */
  jar?: CookieJar
  /** Statuses that are right, besides 503 as it should be. */
  allowed: readonly number[]
}

/** Sends a request and notes what came of it; never throws. */
export type Ask = (question: Question) => Promise<Answer>

/** How long an answer is waited for, in milliseconds: a gateway may be suspended for a while. */
const patience = 30_000

/**
 * @param from the address that a worker seems to have
 * @param options.publicUrl the origin of our own pages
 */
export function createAsk(
  from: string,
  options: { gateways: Record<Replica, string>; publicUrl: string; journal: Journal },
): Ask {
  return async ({ kind, gateway, path, method, form, json, headers, jar, allowed }) => {
    const sent = new Headers({ 'x-forwarded-for': from, ...headers })
    if (jar) {
      sent.set('accept', 'text/html')
      if (jar.size > 0) sent.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '))
      if (form) {
        sent.set('origin', options.publicUrl)
        sent.set('sec-fetch-site', 'same-origin')
      }
    }
    if (json !== undefined) sent.set('content-type', 'application/json')
    const body = form ? new URLSearchParams(form) : json === undefined ? null : JSON.stringify(json)
    const began = Date.now()
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
      if (jar) for (const cookie of response.headers.getSetCookie()) keep(jar, cookie)
    } catch (error) {
      const { cause, name } = error as Error
      const why = (cause as { code?: string } | undefined)?.code ?? name
      const headers = new Headers()
      answer = { kind, gateway, status: 0, error: why, text: '', headers, began, ended: Date.now() }
    }
    options.journal.note(answer, allowed)
    return answer
  }
}

/** A path of ours, whatever address of the system it came with. */
export function pathOf(location: string | null): string {
  if (!location) return ''
  const url = new URL(location, 'http://gatehouse.invalid')
  return `${url.pathname}${url.search}`
}

function keep(jar: CookieJar, cookie: string): void {
  const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*)(.*)$/s.exec(cookie) ?? []
  const over = /;\s*max-age=0\b/i.test(attributes) || /;\s*expires=Thu, 01 Jan 1970/i.test(attributes)
  if (over) jar.delete(name)
  else jar.set(name, value)
}
