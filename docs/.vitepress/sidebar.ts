import type { DefaultTheme } from 'vitepress'
import { pageAt, sourceOf } from './pages.ts'

/** The pages of each section, in the order in which they are listed, without `.md`. */
const sections = {
  start: ['try-it', 'choose-a-profile', 'design', 'comparison'],
  apps: [
    'login',
    'openid',
    'registration',
    'client-id-documents',
    'client-authentication',
    'pushed-requests',
    'resources',
    'organizations',
    'clients',
    'mcp',
    'troubleshooting',
    'tutorial-express',
    'tutorial-nextjs',
    'tutorial-spring',
    'tutorial-go',
    'tutorial-python',
    'tutorial-single-page-app',
    'tutorial-nginx',
  ],
  people: [
    'administration',
    'people',
    'groups-and-roles',
    'organizations',
    'connections',
    'programs-that-read-groups',
    'second-factors',
    'social-login',
    'mail',
    'branding',
    'import',
  ],
  operate: [
    'operations',
    'releases',
    'support',
    'production-checklist',
    'tls',
    'secrets',
    'helm-chart',
    'chart-examples',
    'chart',
    'postgresql',
    'redis',
    'backup',
    'keys',
    'limits',
    'resilience',
    'tracing',
    'outgoing-requests',
  ],
  events: ['events', 'backends', 'webhooks', 'ingest'],
  reference: ['configuration', 'profiles', 'client-metadata', 'user-attributes', 'command-line'],
  evidence: ['security', 'proof', 'oracles', 'cluster', 'conformance', 'benchmark'],
  contribute: ['changing-gatehouse', 'changelog', 'vulnerabilities'],
}

/** The names of pages whose titles make sense only in the repository, or are too long for a list. */
const names: Readonly<Record<string, string>> = {
  'start/try-it': 'Try it',
  'contribute/vulnerabilities': 'Report a vulnerability',
}

/** The list of all pages at the side of each. */
export const sidebar: DefaultTheme.SidebarItem[] = Object.entries(sections).map(([section, pages]) => ({
  text: section.replace(/^./, (first) => first.toUpperCase()),
  collapsed: false,
  items: pages.map((page) => {
    const place = `${section}/${page}`
    const title = names[place] ?? pageAt(sourceOf(`${place}.md`))?.title
    if (title === undefined) throw new Error(`sidebar.ts lists ${place}, which does not exist`)
    return { text: title.replace(/^Tutorial: log users in to an? /, 'Tutorial: '), link: `/${place}` }
  }),
}))

/** Whether a page can be found in the list. @param place its path in the site */
export function isListed(place: string): boolean {
  const link = `/${place.replace(/\.md$/, '')}`
  return place === 'index.md' || sidebar.some(({ items }) => items?.some((item) => item.link === link))
}
