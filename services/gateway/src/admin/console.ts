import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import type { App } from '@gatehouse/http/app'

const built = join(dirname(createRequire(import.meta.url).resolve('@gatehouse/console/package.json')), 'dist')
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

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

/** The addresses of the pages of the console, as its router knows them. Each section has a list, and a page for each of its items. */
const addresses = [
  '/admin',
  ...['start', 'clients', 'users', 'resources', 'tokens', 'activity', 'keys', 'mails'].flatMap((section) => [
    `/admin/${section}`,
    `/admin/${section}/:id`,
  ]),
]

/**
 * Serves the console for administrators at /admin: one page at all addresses, whose script shows what the address says. It
 * must be declared behind the guard, which sends whoever is not logged in to the login page.
 */
export function consolePages(app: App): void {
  const page = readFileSync(join(built, 'index.html'))
  for (const url of addresses) {
    app.get(
      url,
      { schema: { hide: true }, config: { page: true, anyAdministrator: true } },
      async (_request, reply) =>
        reply
          .headers({
            'cache-control': 'no-store',
            'content-security-policy': policy,
            'referrer-policy': 'same-origin',
            'x-content-type-options': 'nosniff',
            'x-frame-options': 'DENY',
          })
          .type('text/html; charset=utf-8')
          .send(page),
    )
  }
}

/** Serves the scripts and stylesheets of the console. A name changes with its file's content, so browsers may cache it for ever. */
export function consoleAssets(app: App): void {
  for (const name of readdirSync(built)) {
    const type = types[extname(name)]
    if (type === undefined) continue
    const plain = readFileSync(join(built, name))
    const compressed = readFileSync(join(built, `${name}.br`))
    // One page loads dozens of them, which the limit of an address for everything else would not allow three times a minute.
    const config = { limit: 'admin' } as const
    app.get(`/assets/console/${name}`, { schema: { hide: true }, config }, async ({ headers }, reply) => {
      const compress = headers['accept-encoding']?.includes('br')
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          vary: 'accept-encoding',
          ...(compress && { 'content-encoding': 'br' }),
        })
        .type(type)
        .send(compress ? compressed : plain)
    })
  }
}
