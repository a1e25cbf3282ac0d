import { hash } from 'node:crypto'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { pathOf, type Question, type Times } from '../asking.ts'
import type { Answer } from '../journal.ts'
import type { FinalState, Given, History, Kind, Operation, Subject } from './operation.ts'

/** A history that is written to a file. */
export type Recorder = {
  note(operation: Operation): void
  /** Writes what is still in memory, and the state at the end. */
  end(final: FinalState): void
}

/** How many lines are written at once. */
const linesAtOnce = 500

/** Writes a history to a file, one JSON line for each operation. */
export function recordHistory(file: string): Recorder {
  writeFileSync(file, '')
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`)
    lines = []
  }
  return {
    note(operation) {
      lines.push(JSON.stringify(operation))
      if (lines.length >= linesAtOnce) flush()
    },
    end(final) {
      flush()
      appendFileSync(file, `${JSON.stringify({ final })}\n`)
    },
  }
}

/** Reads a history. @throws Error when it has no end, since then the state after it is not known */
export function readHistory(file: string): History {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const { final } = JSON.parse(lines.pop() ?? '{}') as { final?: FinalState }
  if (final === undefined) throw new Error(`${file} ends before the state at the end`)
  return { operations: lines.map((line) => JSON.parse(line) as Operation), final }
}

/** The identity of a token, a code or another secret in a history. */
export function identityOf(secret: string): string {
  return hash('sha256', secret, 'hex').slice(0, 32)
}

/**
 * Describes a request and its answer.
 * @param from the address of the client
 */
export function operationOf(
  from: string,
  question: Question,
  answer: Answer,
  { invoked, returned }: Times,
): Operation {
  const { status, error } = answer
  const kind = kindOf(question)
  // Somebody who is not logged in is sent to the login page, and nothing is withdrawn.
  const sentAway =
    kind === 'withdraw consent' && !pathOf(answer.headers.get('location')).startsWith('/account')
  const done = status >= 200 && status < 400 && !sentAway
  const outcome = done ? 'ok' : sentAway || (status >= 400 && status < 500) ? 'refused' : 'unknown'
  const gave = done ? given(kind, answer) : undefined
  return {
    ...{ client: from, kind, gateway: question.gateway, invoked, returned, outcome },
    ...(outcome === 'refused' && { error }),
    of: subjectOf(question),
    ...(gave && { gave }),
  }
}

const grants: Record<string, Kind> = {
  client_credentials: 'issue',
  authorization_code: 'redeem',
  refresh_token: 'refresh',
}

function kindOf({ path, form, method, json }: Question): Kind {
  const [place = ''] = path.split('?', 1)
  if (place === '/oauth/token') return grants[form?.grant_type ?? ''] ?? 'other'
  if (place === '/oauth/introspect') return 'introspect'
  if (place === '/oauth/revoke') return 'revoke'
  if (['/oauth/authorize', '/auth/login', '/oauth/consent'].includes(place)) return 'get code'
  if (place === '/account/apps/withdraw') return 'withdraw consent'
  if (place === '/events/ingest') return 'send event'
  if (place === '/.well-known/jwks.json') return 'get key set'
  if (place === '/admin/api/keys/rotate') return 'rotate key'
  if (/^\/admin\/api\/(users|clients)\/[^/]+\/tokens$/.test(place)) return 'end tokens'
  if (method === 'DELETE' && place.startsWith('/admin/api/clients/')) return 'delete client'
  if (method === 'PATCH' && (json as { disabled?: unknown })?.disabled === true) return 'disable user'
  return 'other'
}

function subjectOf({ path, form, headers, about }: Question): Subject {
  const [, list, id] = /^\/admin\/api\/(users|clients)\/([^/?]+)/.exec(path) ?? []
  const key = headers?.['idempotency-key']
  return {
    ...about,
    ...(list === 'users' && id && { user: id }),
    ...(list === 'clients' && id && { clientId: id }),
    ...(form?.client_id && { clientId: form.client_id }),
    ...(form?.code && { code: identityOf(form.code) }),
    ...(form?.refresh_token && { token: identityOf(form.refresh_token) }),
    ...(form?.token && { token: identityOf(form.token) }),
    ...(key && { event: key }),
  }
}

function given(kind: Kind, { text, headers }: Answer): Given | undefined {
  if (kind === 'get code') {
    const location = headers.get('location') ?? ''
    const code = URL.canParse(location) ? new URL(location).searchParams.get('code') : null
    return code === null ? undefined : { code: identityOf(code) }
  }
  if (!['issue', 'redeem', 'refresh', 'introspect', 'get key set'].includes(kind)) return undefined
  const body = JSON.parse(text)
  if (kind === 'introspect') return { active: body.active === true }
  if (kind === 'get key set')
    return { keyIds: body.keys.map(({ kid }: { kid: string }) => kid), maxAge: maxAgeOf(headers) }
  const [header = '', claims = ''] = String(body.access_token).split('.')
  const { exp } = decoded(claims)
  const { kid } = decoded(header)
  return {
    accessToken: identityOf(body.access_token),
    expires: Number(exp) * 1000 - performance.timeOrigin,
    ...(body.refresh_token && { refreshToken: identityOf(body.refresh_token) }),
    ...(typeof kid === 'string' && { keyId: kid }),
  }
}

/** For how long an answer may be used, in milliseconds. */
export function maxAgeOf(headers: Headers): number {
  return Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1] ?? 0) * 1000
}

function decoded(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString())
}
