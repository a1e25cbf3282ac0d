import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformerStyleToClass } from '@shikijs/transformers'
import { slug } from 'github-slugger'
import { defineConfig } from 'vitepress'
import { drawnDiagrams, indentedCode } from './blocks.ts'
import { repositoryLinks } from './links.ts'
import { otherFiles, placeOf, root } from './pages.ts'
import { isListed, sidebar } from './sidebar.ts'
import { strictFiles } from './strict-files.ts'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
// Where the gateway serves the site.
const base = '/docs/'
const strict = strictFiles(base)
const colors = transformerStyleToClass({ classPrefix: 'code-' })

export default defineConfig({
  title: 'Gatehouse',
  titleTemplate: ':title · Gatehouse',
  description: 'The documentation of Gatehouse, an OAuth 2.0 authorization server.',
  base,
  // Links lead out of docs/ to pages such as the changelog.
  srcDir: '..',
  srcExclude: otherFiles(),
  rewrites: placeOf,
  cleanUrls: true,
  // Of servers that the reader starts. links.ts checks all others, with their anchors.
  ignoreDeadLinks: 'localhostLinks',
  router: { prefetchLinks: false },
  // Its switch would insert a style element.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  markdown: {
    // Anchors are those of GitHub, where the same files are read.
    anchor: { slugify: slug },
    codeTransformers: [colors],
    config(markdown) {
      markdown.use(repositoryLinks)
      markdown.use(drawnDiagrams)
      markdown.use(indentedCode)
    },
  },
  themeConfig: {
    nav: [{ text: `Version ${version}`, link: '/contribute/changelog' }],
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    notFound: {
      quote: 'Check the address. If a link brought you here, it is out of date.',
      linkText: 'To the first page',
    },
  },
  transformPageData({ relativePath }) {
    if (!isListed(relativePath)) throw new Error(`${relativePath} is missing in docs/.vitepress/sidebar.ts`)
  },
  transformHtml: (html) => strict.withoutInline(html, colors.getCSS()),
  buildEnd: ({ outDir }) => strict.write(outDir),
})
