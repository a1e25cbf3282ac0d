import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { slug } from 'github-slugger'

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..')

/** Pages that stand elsewhere in the repository, or under another name, and their places in the site. */
const moved: Readonly<Record<string, string>> = {
  'docs/README.md': 'index.md',
  'README.md': 'start/try-it.md',
  'deploy/helm/gatehouse/README.md': 'operate/helm-chart.md',
  'deploy/helm/examples/README.md': 'operate/chart-examples.md',
  'CONTRIBUTING.md': 'contribute/changing-gatehouse.md',
  'CHANGELOG.md': 'contribute/changelog.md',
  'SECURITY.md': 'contribute/vulnerabilities.md',
}

/** The place of a page in the site. @param source its path in the repository */
export function placeOf(source: string): string {
  return moved[source] ?? source.replace(/^docs\//, '')
}

/** The path of a page in the repository. @param place its path in the site */
export function sourceOf(place: string): string {
  const found = Object.entries(moved).find(([, to]) => to === place)
  return found?.[0] ?? `docs/${place}`
}

/** Patterns for the files of the repository that are no pages of the site. */
export function otherFiles(): string[] {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const others = folders.map(({ name }) => name).filter((name) => name !== 'docs' && name !== 'deploy')
  return [...others.map((name) => `${name}/**`), 'deploy/!(helm)/**']
}

/** The page at a path of the repository, or undefined if there is no such page in the site. */
export function pageAt(source: string): { title: string; anchors: ReadonlySet<string> } | undefined {
  if (!source.endsWith('.md') || !(source in moved || source.startsWith('docs/'))) return undefined
  if (!existsSync(join(root, source))) return undefined
  const text = readFileSync(join(root, source), 'utf8').replaceAll(/^ *```.*?^ *```/gms, '')
  const headings = [...text.matchAll(/^(#+) +(.+)$/gm)].map(([, level = '', words = '']) => ({
    level: level.length,
    words: words.replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, '$1').trim(),
  }))
  const seen = new Map<string, number>()
  const anchors = headings.map(({ words }) => {
    const anchor = slug(words)
    const before = seen.get(anchor) ?? 0
    seen.set(anchor, before + 1)
    return before === 0 ? anchor : `${anchor}-${before}`
  })
  return { title: headings[0]?.words ?? source, anchors: new Set(anchors) }
}

/** The path of a file in the repository. @param from the file that names it @param to as it is named there */
export function pathFrom(from: string, to: string): string {
  return relative(root, join(root, from, '..', to))
}
