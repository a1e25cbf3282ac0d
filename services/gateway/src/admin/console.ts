import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { App } from '@gatehouse/http/app'
import { endpoint } from '../endpoint/endpoint.ts'
import { type Asset, assetRoutes, assetTypes } from '../http/assets.ts'
import { ownFilesOnly, pageHeaders } from '../people/pages/pages.ts'

const built = join(dirname(createRequire(import.meta.url).resolve('@gatehouse/console/package.json')), 'dist')
const page = readFileSync(join(built, 'index.html'), 'utf8')

/**
 * The scripts and stylesheets of the console. One page loads dozens of them, which the limit of an address for everything else would
 * not allow three times a minute.
 */
const assets: readonly Asset[] = Object.entries(assetTypes).flatMap(([end, type]) =>
  readdirSync(built)
    .filter((name) => name.endsWith(`.${end}`))
    .map((name) => ({
      content: readFileSync(join(built, name)),
      compressed: readFileSync(join(built, `${name}.br`)),
      type,
      path: `/assets/console/${name}`,
    })),
)

/** The sections of the console, as its router knows them: those whose list leads to a page for each of its items, and the others. */
const sections = {
  withItems: ['clients', 'users', 'groups', 'organizations', 'connections', 'resources', 'mails', 'events'],
  alone: ['start', 'tokens', 'activity', 'keys'],
  /** The pages of what an organization has. */
  ofOrganization: ['groups', 'members'],
}
const pages = [
  '/admin',
  ...[...sections.withItems, ...sections.alone].map((section) => `/admin/${section}`),
  ...sections.withItems.map((section) => `/admin/${section}/:id`),
  ...sections.ofOrganization.map((section) => `/admin/organizations/:id/${section}/:item`),
]

/** Everything else below /admin, except the API: any section, alone or with more behind it. */
const elsewhere = ['', '/*'].map((end) => `/admin/:section(^(?!api$)[^/]*)${end}`)

/**
 * Serves the console for administrators at /admin: one page at all addresses, with and without a slash at the end, whose script shows
 * what the address says. Where the console has no page, the same page comes with the status 404 and says so. It must be declared
 * behind the guard, which sends people who are not logged in to the login page.
 */
export const consolePages = endpoint({ name: 'console', door: 'administrators', routes: pageRoutes })

/** The files that the console loads. */
export const consoleAssets = endpoint({
  name: 'assets of the console',
  door: 'anybody',
  limit: 'admin',
  routes: (app) => assetRoutes(app, assets),
})

function pageRoutes(app: App): void {
  const content = app.documentation
    ? page.replace('</head>', '<meta name="documentation" content="/docs/"></head>')
    : page
  const serve = (url: string, status: 200 | 404) =>
    app.get(
      url,
      { schema: { hide: true }, config: { page: true, anyAdministrator: true } },
      async (_request, reply) =>
        reply.code(status).headers(pageHeaders(ownFilesOnly)).type('text/html; charset=utf-8').send(content),
    )
  for (const url of pages) for (const end of ['', '/']) serve(`${url}${end}`, 200)
  for (const url of elsewhere) serve(url, 404)
}
