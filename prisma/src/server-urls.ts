import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'

const writableAttributes = ['read-write', 'primary']

/**
 * Checks the servers of a database URL.
 * @param variable the name of the variable that has it
 * @throws ConfigurationError in one line for servers that cannot be used together, and for a demand for one that accepts no writes
 */
export function requireUsableServers(urls: readonly URL[], variable: string): void {
  const hosts = urls.map(hostOf)
  if (hosts.length > 1 && hosts.some((host) => host === '')) {
    throw new ConfigurationError(`${variable} has an empty name among its hosts`)
  }
  if (new Set(hosts.map((host) => host.startsWith('/'))).size > 1) {
    throw new ConfigurationError(`${variable} must name sockets or hosts, not both`)
  }
  const attributes = urls.flatMap((url) => url.searchParams.getAll('target_session_attrs'))
  const known = [...writableAttributes, ...(urls.length > 1 ? [] : ['any'])]
  if (attributes.some((attribute) => !known.includes(attribute))) {
    throw new ConfigurationError(
      `${variable}: target_session_attrs must be ${known.join(' or ')}, because Gatehouse writes`,
    )
  }
}

/**
 * The servers of a database URL, as libpq reads it: `postgresql://user@a:5432,b:5432/database` and
 * `postgresql:///database?host=a,b&port=5432` name two.
 * @returns for each, in order, the URL with it alone
 */
export function serverUrls(databaseUrl: string): string[] {
  const [, before = '', hosts = '', after = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(databaseUrl) ?? []
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`)
  return urls.length > 1 ? urls : urlsOfParameters(databaseUrl)
}

function urlsOfParameters(databaseUrl: string): string[] {
  const url = URL.parse(databaseUrl)
  const hosts = url?.searchParams.get('host')?.split(',') ?? []
  if (url === null || hosts.length < 2) return [databaseUrl]
  const ports = url.searchParams.get('port')?.split(',') ?? []
  return hosts.map((host, index) => {
    url.searchParams.set('host', host)
    const port = ports.length > 1 ? ports[index] : ports[0]
    if (port !== undefined) url.searchParams.set('port', port)
    return url.href
  })
}

/** Whether a database URL takes only a server that accepts writes: it has several, or `target_session_attrs` asks for that. */
export function asksForWritable(databaseUrl: string): boolean {
  const [first = '', ...others] = serverUrls(databaseUrl)
  const attribute = new URL(first).searchParams.get('target_session_attrs')
  return others.length > 0 || writableAttributes.includes(attribute ?? '')
}

/** A URL, or none where it cannot be read. */
export function readUrl(text: string): URL[] {
  try {
    const url = new URL(text)
    decodeURIComponent(url.hostname + url.pathname)
    return [url]
  } catch {
    // The error quotes the value.
    return []
  }
}

/** The host of a server's URL as node-postgres takes it; empty where there is none. */
export function hostOf(url: URL): string {
  return url.searchParams.get('host') || decodeURIComponent(url.hostname)
}

/** The port of a server's URL. */
export function portOf(url: URL): string {
  return url.searchParams.get('port') || url.port || '5432'
}
