import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '@gatehouse/http/app'
import { endpoint } from '../endpoint/endpoint.ts'

/** The directory of the stylesheets and scripts of the pages. */
const directory = join(import.meta.dirname, '../people/assets')

/** The media types of the files that pages load, by the end of their names. */
export const assetTypes = { css: 'text/css; charset=utf-8', js: 'text/javascript; charset=utf-8' }

/** The stylesheets of every page. */
const common = ['style.css', 'forms.css', 'lists.css', 'factors.css', 'passwords.css'].map((name) =>
  join(directory, name),
)

/** The files that pages load, besides the stylesheet of the brand. */
export const assets = {
  stylesheet: asset(common, 'css'),
  passkeyScript: asset([join(directory, 'passkey.js')], 'js'),
  passwordScript: asset([join(directory, 'password.js')], 'js'),
  onceScript: asset([join(directory, 'once.js')], 'js'),
}

/** The paths of the files that pages load. A path changes with its file's content, so browsers may cache it for ever. */
export const assetPaths = Object.fromEntries(
  Object.entries(assets).map(([name, { path }]) => [name, path]),
) as Record<keyof typeof assets, string>

/** The common stylesheet with more rules after its own. */
export function stylesheetWith(rules: string): Asset {
  return asset(common, 'css', rules)
}

/** A file to serve. */
export type Asset = {
  content: Buffer
  type: string
  path: string
  /** The same for browsers that can read brotli; absent for small files. */
  compressed?: Buffer
}

/** Makes one file to serve of several, and of more text. */
function asset(files: readonly string[], type: keyof typeof assetTypes, more = ''): Asset {
  const content = Buffer.concat([...files.map((file) => readFileSync(file)), Buffer.from(more)])
  return {
    content,
    type: assetTypes[type],
    path: `/assets/${hash('sha256', content, 'hex').slice(0, 16)}.${type}`,
  }
}

/** The files that the pages for people load. */
export const pageAssets = endpoint({
  name: 'assets of the pages',
  door: 'anybody',
  routes: (app) => assetRoutes(app, new Set([...Object.values(assets), app.look.stylesheet])),
})

/** Serves stylesheets and scripts. Their paths change with their content, so browsers may cache them for ever. */
export function assetRoutes(app: App, served: Iterable<Asset>): void {
  for (const { path, content, type, compressed } of served) {
    app.get(path, { schema: { hide: true } }, async ({ headers }, reply) => {
      const compress = compressed !== undefined && headers['accept-encoding']?.includes('br')
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
          ...(compressed && { vary: 'accept-encoding' }),
          ...(compress && { 'content-encoding': 'br' }),
        })
        .type(type)
        .send(compress ? compressed : content)
    })
  }
}
