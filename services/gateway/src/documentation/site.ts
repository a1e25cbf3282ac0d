import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const types = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
}

/** A file of the site. Only the compressed bytes are kept: a fifth of the whole. */
export type SiteFile = {
  compressed: Buffer
  type: string
  /** Weak, because the same file is also sent uncompressed (RFC 9110 section 8.8.1). */
  etag: string
  /** Whether its name changes with its content. */
  immutable: boolean
}

/** The files of the site, by their paths in it, such as `apps/login.html`. */
export type Site = ReadonlyMap<string, SiteFile>

/** Where `npm run docs` builds the site. */
export function builtSite(): string {
  const require = createRequire(import.meta.url)
  return join(dirname(require.resolve('@gatehouse/docs/package.json')), '.vitepress/dist')
}

/** Reads a built site. @returns undefined where none was built */
export function readSite(directory: string): Site | undefined {
  if (!existsSync(join(directory, 'index.html.br'))) return undefined
  const site = new Map<string, SiteFile>()
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const [, name, end] = /^(.+\.(\w+))\.br$/.exec(file) ?? []
    if (name === undefined || !(end !== undefined && end in types)) continue
    const compressed = readFileSync(join(directory, file))
    site.set(name, {
      compressed,
      type: types[end as keyof typeof types],
      etag: `W/"${hash('sha256', compressed, 'hex').slice(0, 16)}"`,
      immutable: name.startsWith('assets/'),
    })
  }
  return site
}
