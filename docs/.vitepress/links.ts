import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { MarkdownOptions } from 'vitepress'
import { pageAt, pathFrom, placeOf, root } from './pages.ts'

/** Whether all files of the repository are here: an image is built with the pages alone. */
const isWhole = existsSync(join(root, '.git'))

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0]
type Token = ReturnType<Markdown['parse']>[number]

/**
 * Makes links between the files of the repository into links of the site, where a page is called by its title instead of its file's
 * name. A link to a file or heading that does not exist is an error, if all files are here.
 */
export function repositoryLinks(markdown: Markdown): void {
  markdown.core.ruler.push('repository_links', ({ tokens, env }) => {
    const source = relative(root, env.realPath ?? env.path)
    for (const { children } of tokens) {
      for (const [at, token] of (children ?? []).entries()) {
        if (token.type !== 'link_open') continue
        const href = token.attrGet('href') ?? ''
        if (!/^[a-z]+:/.test(href)) lead(token, children?.slice(at + 1, at + 3) ?? [], source, href)
      }
    }
  })
}

/** Gives a link its target in the site. @param inside the tokens behind the one that opens it */
function lead(token: Token, inside: readonly Token[], source: string, href: string): void {
  const [file = '', anchor] = href.split('#')
  const path = file === '' ? source : pathFrom(source, decodeURI(file))
  const page = pageAt(path)
  if (
    page === undefined
      ? isWhole && !existsSync(join(root, path))
      : anchor && !page.anchors.has(decodeURI(anchor))
  )
    throw new Error(`${source} has a link to ${href}, which does not exist`)
  if (page) {
    if (file !== '') token.attrSet('href', `/${placeOf(path)}${anchor ? `#${anchor}` : ''}`)
    const [name, end] = inside
    if (name?.type === 'text' && end?.type === 'link_close' && /^\S+\.md$/.test(name.content))
      name.content = page.title
  } else if (path === 'docs/reference/openapi.json') {
    // The server that serves the site shows this document. The target keeps the site's router from taking the click.
    const depth = placeOf(source).split('/').length
    token.attrSet('href', `${'../'.repeat(depth)}swagger-ui`)
    token.attrSet('target', '_self')
  } else {
    // A file of the repository that is no page: its name alone.
    const close = inside.find(({ type }) => type === 'link_close')
    token.tag = 'span'
    token.attrs = []
    if (close) close.tag = 'span'
  }
}
