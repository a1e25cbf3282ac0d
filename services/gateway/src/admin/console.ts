import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { App } from '@gatehouse/http/app'
import { type Asset, assetTypes } from '../assets.ts'
import { pageHeaders } from '../pages.ts'

const built = join(dirname(createRequire(import.meta.url).resolve('@gatehouse/console/package.json')), 'dist')
// Everything comes from this server. `data:` is for the pictures in stylesheets.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const page = readFileSync(join(built, 'index.html'))

/**
 * The scripts and stylesheets of the console. One page loads dozens of them, which the limit of an address for everything else would
 * not allow three times a minute.
 */
export const consoleAssets: readonly Asset[] = Object.entries(assetTypes).flatMap(([end, type]) =>
  readdirSync(built)
    .filter((name) => name.endsWith(`.${end}`))
    .map((name) => ({
      content: readFileSync(join(built, name)),
      compressed: readFileSync(join(built, `${name}.br`)),
      type,
      path: `/assets/console/${name}`,
      limit: 'admin',
    })),
)

/** The addresses of the pages of the console, as its router knows them. Each section has a list, and a page for each of its items. */
const addresses = [
  '/admin',
  ...['start', 'clients', 'users', 'resources', 'tokens', 'activity', 'keys', 'mails', 'events'].flatMap(
    (section) => [`/admin/${section}`, `/admin/${section}/:id`],
  ),
]

/**
 * Serves the console for administrators at /admin: one page at all addresses, whose script shows what the address says. It
 * must be declared behind the guard, which sends whoever is not logged in to the login page.
 */
export function consolePages(app: App): void {
  for (const url of addresses) {
    app.get(
      url,
      { schema: { hide: true }, config: { page: true, anyAdministrator: true } },
      async (_request, reply) =>
        reply.headers(pageHeaders(policy)).type('text/html; charset=utf-8').send(page),
    )
  }
}
