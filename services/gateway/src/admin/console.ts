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

/**
 * Serves the console for administrators at /console. Each address below it is a page of the console, which its script shows. It
 * must be declared behind the guard, which sends whoever is not logged in to the login page.
 */
export function consolePages(app: App): void {
  const page = readFileSync(join(built, 'index.html'))
  for (const url of ['/console', '/console/', '/console/*']) {
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
  const directory = join(built, 'assets')
  for (const name of readdirSync(directory).filter((name) => !name.endsWith('.br'))) {
    const file = {
      plain: readFileSync(join(directory, name)),
      compressed: readFileSync(join(directory, `${name}.br`)),
    }
    app.get(`/console/assets/${name}`, { schema: { hide: true } }, async (request, reply) => {
      const compress = request.headers['accept-encoding']?.includes('br')
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          vary: 'accept-encoding',
          ...(compress && { 'content-encoding': 'br' }),
        })
        .type(types[extname(name)] ?? 'application/octet-stream')
        .send(compress ? file.compressed : file.plain)
    })
  }
}
