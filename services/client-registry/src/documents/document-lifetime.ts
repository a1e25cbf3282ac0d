import type { IncomingHttpHeaders } from 'node:http'

/** How long a document is used without reading it again, in seconds: at least a minute, at most a day. */
const shortest = 60
const longest = 86_400

/**
 * How long a document may be used without reading it again, in seconds (RFC 9111 section 4.2.1). Without a Cache-Control that
 * says so it is the shortest time.
 */
export function documentLifetime({ 'cache-control': text = '', age }: IncomingHttpHeaders): number {
  const directives = text.split(',').map((directive) => directive.trim().toLowerCase())
  if (directives.some((directive) => /^no-(store|cache)\b/.test(directive))) return shortest
  const [, seconds] =
    /^max-age="?(\d{1,10})"?$/.exec(directives.find((one) => one.startsWith('max-age')) ?? '') ?? []
  const left = Number(seconds ?? 0) - (/^\d{1,10}$/.test(age ?? '') ? Number(age) : 0)
  return Math.min(longest, Math.max(shortest, left))
}
