import { bareHost } from '../host.ts'
import { readRedisUrl, readServerUrl } from './server-url.ts'

/** Where Redis is, and as whom one logs in there. */
export type RedisServers =
  | { kind: 'single'; url: string }
  | (Several & {
      kind: 'sentinel'
      /** The name that the sentinels have for the primary. */
      name: string
      database: number
      /** The login at the sentinels; absent where they ask for none. */
      sentinelLogin: RedisLogin
    })
  | (Several & { kind: 'cluster' })

/** A user of Redis; without a name it is the default user. */
export type RedisLogin = { username?: string; password?: string }

type Several = { nodes: { host: string; port: number }[]; login: RedisLogin; tls: boolean }

const form =
  /^(rediss?)\+(sentinel|cluster):\/\/(?:([^/?#]*)@)?([^/?#]+)(?:\/([^/?#]+)(?:\/(\d+))?)?\/?(?:\?([^#]*))?$/i

/**
 * Reads where Redis is: `redis://…` for one server, `redis+sentinel://user:password@host:26379,host:26379/name/0` for the primary
 * that sentinels name, `redis+cluster://user:password@host:6379,host:6379` for a cluster; with TLS each begins with `rediss`.
 * @param variable the variable's name
 * @throws ConfigurationError in one line that shows no part of the value
 */
export function readRedisServers(variable: string, text: string): RedisServers {
  const kind = /^rediss?\+(sentinel|cluster):/i.exec(text)?.[1]?.toLowerCase()
  if (kind === undefined) return { kind: 'single', url: readRedisUrl(variable, text) }
  const expected =
    kind === 'sentinel'
      ? 'as redis+sentinel://user:password@host:26379,host:26379/name/0 (rediss+sentinel:// for TLS)'
      : 'as redis+cluster://user:password@host:6379,host:6379 (rediss+cluster:// for TLS)'
  return readServerUrl(variable, text, expected, () => {
    const [, scheme = '', , user = '', hosts = '', name, database = '0', query = ''] = form.exec(text) ?? []
    if (hosts === '') return undefined
    const parameters = new URLSearchParams(query)
    const known = kind === 'sentinel' ? ['sentinel_username', 'sentinel_password'] : []
    if ([...parameters.keys()].some((key) => !known.includes(key))) return undefined
    const port = kind === 'sentinel' ? 26_379 : 6_379
    const nodes = hosts.split(',').map((host) => readNode(host, port))
    const several = { nodes, login: readLogin(user), tls: scheme.toLowerCase() === 'rediss' }
    if (kind === 'cluster') return name === undefined ? { ...several, kind } : undefined
    if (name === undefined) return undefined
    const sentinelLogin = loginOf(parameters.get('sentinel_username'), parameters.get('sentinel_password'))
    return {
      ...several,
      kind: 'sentinel',
      name: decodeURIComponent(name),
      database: Number(database),
      sentinelLogin,
    }
  })
}

function readNode(text: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port, username, password } = new URL(`redis://${text}`)
  if (hostname === '' || username !== '' || password !== '') throw new Error('no host')
  return { host: bareHost(hostname), port: Number(port || defaultPort) }
}

function readLogin(text: string): RedisLogin {
  const { username, password } = new URL(`redis://${text === '' ? '' : `${text}@`}host`)
  return loginOf(decodeURIComponent(username), decodeURIComponent(password))
}

function loginOf(username: string | null, password: string | null): RedisLogin {
  return { ...(username && { username }), ...(password && { password }) }
}
