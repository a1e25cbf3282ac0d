import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import type { FastifyReply } from 'fastify'
import type { App } from './app.ts'

/** The person whose session it is, as pages show him. */
export type PageUser = { username: string; admin: boolean }

/** What each page shows; every one shows the user in its head, where there is one. */
export type Pages = {
  login: {
    loggedInAs: string | undefined
    clientName: string | undefined
    message: string | undefined
    username: string | undefined
    returnTo: string | undefined
  }
  consent: {
    user: PageUser
    clientName: string
    scopes: string[]
    destination: string
    question: string
  }
  account: {
    user: PageUser
    message: string | undefined
    problem: string | undefined
    apps: { clientId: string; name: string; scopes: string[]; since: Date }[]
    sessions: {
      sessionId: string
      browser: string
      ipAddress: string
      createdAt: Date
      current: boolean
    }[]
    time(date: Date): string
  }
  admin: { user: PageUser }
  error: { heading: string; description: string; advice: string; code: string }
}

const directory = join(import.meta.dirname, 'pages')
const eta = new Eta({ views: directory, cache: true })
const css = readFileSync(join(directory, 'style.css'))
/** Its own name for each content, so that a browser may keep it for ever. */
const stylesheet = `/assets/${hash('sha256', css, 'hex').slice(0, 16)}.css`

/**
 * Answers with a page, which nobody keeps and nobody frames.
 * @param formTargets what a form on the page may end up at, besides our own origin: schemes (`https:`)
 */
export function sendPage<Name extends keyof Pages>(
  reply: FastifyReply,
  name: Name,
  content: Pages[Name],
  formTargets: readonly string[] = [],
): FastifyReply {
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': policy(formTargets),
      // Not no-referrer: with it browsers send `Origin: null` on our own forms.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      // No Cross-Origin-Opener-Policy: it would cut the window that an app opened for the login off from the app.
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(eta.render(`./${name}`, { ...content, stylesheet }))
}

// Chromium holds form-action against the redirect that follows a form, too.
function policy(formTargets: readonly string[]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The pages' stylesheet. */
export function stylesheetRoute(app: App): void {
  app.get(stylesheet, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .headers({
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      .type('text/css; charset=utf-8')
      .send(css),
  )
}
