import { createHmac } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { NewSession } from '@gatehouse/proto/identity/v1'
import type { ConsentQuestion } from '../src/people/authorization/consent-question.ts'
import { createQuestions } from '../src/people/pages/questions.ts'
import { type Changes, gateway, issuer, pending, sessionKey } from './gateway.ts'

/** A browser's Accept header. */
export const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

export const ann = { userId: 'user-1', username: 'ann', admin: false }
export const root = { userId: 'user-2', username: 'root', admin: true }

export const secret = 's'.repeat(43)
export const session = {
  sessionId: 'session-1',
  user: ann,
  createdAt: new Date('2030-01-01T10:00:00Z'),
  expiresAt: new Date('2030-01-01T22:00:00Z'),
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36',
  ipAddress: '192.0.2.7',
  seenAt: new Date('2030-01-01T11:00:00Z'),
  authenticatedAt: new Date('2030-01-01T10:00:00Z'),
  lastSeenAt: new Date('2030-01-01T10:58:00Z'),
  methods: ['pwd'],
}

/** A login by a connection of an organization. */
export const organizationLogin = {
  connectionId: 'con_0190f0a0-0000-7000-8000-0000000000c1',
  organizationId: 'org_0190f0a0-0000-7000-8000-000000000001',
  authenticatedAt: new Date('2030-01-01T10:30:00Z'),
  methods: ['pwd', 'otp', 'mfa'],
}

/** Ann's session when all her logins count in that organization alone, as the identity service gives it. */
export const memberSession = {
  ...session,
  organizationLogins: { logins: [organizationLogin] },
  organizationsOnly: true,
}

/** The identity service where that session is the one of each browser: it gives it only to those who ask for any login. */
export const membersOnly = {
  getSession: async ({ anyLogin }: { anyLogin?: boolean | undefined }) => ({
    session: anyLogin ? memberSession : undefined,
  }),
}

/** The identity service's answer to a successful login. */
export function newSession(user = ann, changes: Partial<NewSession> = {}): NewSession {
  const { expiresAt } = session
  return { sessionSecret: secret, expiresAt, user, session: { ...session, user }, ...changes }
}

/** The signed question in the form of a consent page. */
export function questionOf(changes: Partial<ConsentQuestion> = {}, key = sessionKey, now = Date.now): string {
  const { flowId, clientId, scope } = pending
  return createQuestions<ConsentQuestion>('consent', key, now).write({
    flowId,
    sessionId: session.sessionId,
    clientId,
    scope,
    clientName: 'Acme',
    ...changes,
  })
}

/** A cookie as a browser sends it, signed with the gateway's key or another one. */
export function cookie(name: string, value: string, key = sessionKey): string {
  const signature = createHmac('sha256', key).update(value).digest('base64').replaceAll('=', '')
  return `${name}=${encodeURIComponent(`${value}.${signature}`)}`
}

/**
 * A browser that shows the gateway's own pages.
 * @param changes differences from the default services
 * @param user the user who is logged in; undefined if nobody is
 */
export async function browser(changes?: Changes, user?: typeof ann) {
  const getSession = async (request: { sessionSecret: string }) => ({
    session: user && request.sessionSecret === secret ? { ...session, user } : undefined,
  })
  const grantConsent = getSession
  const known = user ? { ...changes, identity: { getSession, grantConsent, ...changes?.identity } } : changes
  const gate = await gateway(known)
  const headers = { accept, ...(user && { cookie: cookie('gatehouse_session', secret) }) }
  return {
    ...gate,
    get: (url: string, more: Record<string, string> = {}) =>
      gate.send('GET', url, undefined, { ...headers, ...more }),
    post: (url: string, form: Record<string, string>, more: Record<string, string> = {}) =>
      gate.send('POST', url, new URLSearchParams(form).toString(), {
        ...headers,
        origin: issuer,
        'sec-fetch-site': 'same-origin',
        ...more,
      }),
  }
}

/** A client's valid authorization request. */
export const authorization = {
  response_type: 'code',
  client_id: 'client_a',
  redirect_uri: 'https://app.example/cb',
  scope: 'read',
  state: 'the-state',
  code_challenge: 'c'.repeat(43),
  code_challenge_method: 'S256',
}

/** The address of a valid authorization request, except for the changes; undefined leaves a parameter out. */
export function authorizePath(changes: Partial<Record<keyof typeof authorization, string | undefined>> = {}) {
  const parameters = Object.entries({ ...authorization, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return `/oauth/authorize?${new URLSearchParams(parameters)}`
}

/** A call that a service refuses. */
export const refusing =
  (...refusal: ConstructorParameters<typeof Refusal>) =>
  () =>
    Promise.reject(new Refusal(...refusal))

type Answer = { headers: Record<string, unknown>; text: string }

/** The Location of an answer. */
export function locationOf({ headers }: Answer): string {
  if (typeof headers.location !== 'string') throw new Error('the answer has no Location')
  return headers.location
}

/** The policy of the built pages, the console and the docs, by directive. */
export const ownFilesPolicy = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'form-action': ["'self'"],
  'base-uri': ["'none'"],
  'frame-ancestors': ["'none'"],
}

/** The values of an answer's Content-Security-Policy, by directive. */
export function policyOf({ headers }: Answer): Record<string, string[]> {
  const directives = String(headers['content-security-policy']).split(';')
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...words] = directive.trim().split(/\s+/)
      return [name, words]
    }),
  )
}

/** The error code that a page shows; empty if it shows none. */
export function pageErrorOf({ headers, text }: Answer): string {
  if (headers['content-type'] !== 'text/html; charset=utf-8') throw new Error(`this is not a page: ${text}`)
  return /<code>(\w+)<\/code>/.exec(text)?.[1] ?? ''
}

/** The cookies that an answer sets, each with its attributes. */
export function cookiesOf({ headers }: Answer) {
  const lines = [headers['set-cookie'] ?? []].flat() as string[]
  return lines.map((line) => {
    const [pair = '', ...attributes] = line.split('; ')
    const equals = pair.indexOf('=')
    return { name: pair.slice(0, equals), value: pair.slice(equals + 1), pair, attributes }
  })
}
