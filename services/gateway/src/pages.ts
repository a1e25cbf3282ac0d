import { Eta } from 'eta'
import type { FastifyReply } from 'fastify'
import type { AdminPages } from './admin/pages/contents.ts'
import { assetPaths, pagesDirectory } from './assets.ts'
import type { PeoplePages } from './page-contents.ts'

/** What each page shows. */
export type Pages = PeoplePages & AdminPages

const eta = new Eta({ views: pagesDirectory, cache: true })

/** What a page is allowed, besides what every page is. */
export type PageOptions = {
  /** What a form on the page may end up at, besides our own origin: schemes (`https:`). */
  formTargets?: readonly string[]
  /** Whether it has scripts. */
  scripts?: boolean
  /** Whether they ask our API. */
  asks?: boolean
}

/** Answers with a page, which nobody keeps and nobody frames. */
export function sendPage<Name extends keyof Pages>(
  reply: FastifyReply,
  name: Name,
  content: Pages[Name],
  options: PageOptions = {},
): FastifyReply {
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': policy(options),
      // Not no-referrer: with it browsers send `Origin: null` on our own forms.
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      // No Cross-Origin-Opener-Policy: it would cut the window that an app opened for the login off from the app.
      'x-frame-options': 'DENY',
    })
    .type('text/html; charset=utf-8')
    .send(eta.render(`./${name}`, { ...content, assets: assetPaths }))
}

// Chromium holds form-action against the redirect that follows a form, too.
function policy({ formTargets = [], scripts = false, asks = false }: PageOptions): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    ...(scripts ? ["script-src 'self'"] : []),
    ...(asks ? ["connect-src 'self'"] : []),
    'img-src data:',
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
