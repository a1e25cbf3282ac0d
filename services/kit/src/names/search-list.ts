/**
 * The names that a name server is asked for, one after the other until one exists, as resolv.conf(5) says: a name in Kubernetes
 * or in a company's network is often written without its domain.
 * @param configuration the text of a resolv.conf
 */
export function namesToAsk(name: string, configuration: string): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const { search, dots } = settingsIn(configuration)
  const longer = search.map((domain) => `${name}.${domain}`)
  return name.split('.').length > dots ? [name, ...longer] : [...longer, name]
}

/** glibc takes no more, so that a name cannot lead to questions without end. */
const mostDots = 15

/** `search` and `domain` replace each other; names with so many dots are first asked for as they are. */
function settingsIn(configuration: string): { search: string[]; dots: number } {
  let search: string[] = []
  let dots = 1
  for (const line of configuration.split('\n')) {
    const [keyword, ...words] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/)
    if (keyword === 'search') search = words
    if (keyword === 'domain') search = words.slice(0, 1)
    if (keyword === 'options')
      dots = Number(words.findLast((word) => /^ndots:\d+$/.test(word))?.slice(6) ?? dots)
  }
  const domains = search.map((domain) => domain.replace(/\.$/, '')).filter((domain) => domain !== '')
  return { search: domains, dots: Math.min(dots, mostDots) }
}
