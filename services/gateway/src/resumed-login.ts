import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSessions } from './browser-session.ts'

/** Tells an authorization request that comes back from the login page from a new one. */
export type ResumedLogins = {
  /** Notes in the browser that the request at this path goes on with the session that has just begun. */
  expect(reply: FastifyReply, sessionSecret: string, path: string): void
  /** Stands for the note of a request that has its own with it; empty for any other request. It may be a replay. */
  noteIn(request: FastifyRequest): string
}

/** What the notes are made with. */
export type NoteDeps = {
  sessions: Pick<BrowserSessions, 'secretOf'>
  /** Signs them. */
  key: string
  /** Whether the cookie is for https only. */
  secure: boolean
}

const noteCookie = 'gatehouse_resumed'
/** In seconds. A browser that is redirected comes at once. */
const lifetime = 60

/** The notes, in a cookie. Each is for one session, one path and one minute, and nobody can make one without a login. */
export function resumedLogins({ sessions, key, secure }: NoteDeps): ResumedLogins {
  const seal = (expires: string, sessionSecret: string, path: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([noteCookie, expires, sessionSecret, path]))
      .digest('base64url')

  return {
    expect(reply, sessionSecret, path) {
      const expires = String(Date.now() + lifetime * 1000)
      const note = `${expires}.${seal(expires, sessionSecret, path)}`
      const shared = { httpOnly: true, sameSite: 'lax', secure } as const
      reply.setCookie(noteCookie, note, { ...shared, path: '/oauth/authorize', maxAge: lifetime })
    },
    noteIn(request) {
      const [expires = '', presented = ''] = (request.cookies[noteCookie] ?? '').split('.')
      if (request.method !== 'GET' || !(Number(expires) > Date.now())) return ''
      const right = Buffer.from(seal(expires, sessions.secretOf(request), request.url))
      const given = Buffer.from(presented)
      return right.length === given.length && timingSafeEqual(right, given) ? presented : ''
    },
  }
}
