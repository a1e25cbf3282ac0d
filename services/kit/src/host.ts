import { BlockList, isIP, isIPv6 } from 'node:net'

// An IPv6 address is written in brackets where a port may follow it (RFC 3986 section 3.2.2), and without them where it stands alone.
// People write both everywhere, so nothing but these functions puts addresses together or takes them apart.

/** A host as sockets take it: the address of `[::1]` is `::1`. Everything else is returned unchanged. */
export function bareHost(host: string): string {
  const [, address = ''] = /^\[(.*)\]$/.exec(host) ?? []
  return isIPv6(address) ? address : host
}

/** A host and a port as URLs and gRPC take them. @param host a name or an address, with brackets or without */
export function hostAndPort(host: string, port: number | string): string {
  const bare = bareHost(host)
  return isIPv6(bare) ? `[${bare}]:${port}` : `${bare}:${port}`
}

/** Takes `host:port` apart, such as `kafka:9092` or `[fd00::1]:9092`. @returns undefined where it has another form */
export function readHostAndPort(text: string): { host: string; port: number } | undefined {
  const [, host = '', digits = ''] = /^([^\s,/@:[\]]+|\[[^[\]]+\]):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  const bare = bareHost(host)
  return host !== '' && !bare.startsWith('[') && port > 0 && port < 65_536 ? { host: bare, port } : undefined
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether only processes on this machine reach a host, in whatever form its address is written. */
export function isLoopback(host: string): boolean {
  const bare = bareHost(host)
  const family = isIP(bare)
  return family === 0
    ? bare.toLowerCase() === 'localhost'
    : loopback.check(bare, family === 4 ? 'ipv4' : 'ipv6')
}
