/** Replaces every target that cannot be read. No route has this path. */
export const unreadableTarget = '/%00'

/**
 * Gives a request's target (RFC 9112 section 3.2) as a path with its query. Fastify answers a target that its router cannot
 * decode before any hook runs, so no hook would count it. Replaced with one that can be routed, it is like any other.
 * @param target as it came: in origin-form, or in absolute-form, which a server must accept too
 */
export function readableTarget(target: string): string {
  const address = target.startsWith('/') ? target : inOriginForm(target)
  try {
    decodeURIComponent(address.split('?', 1)[0] ?? '')
    return address.includes('#') ? unreadableTarget : address
  } catch {
    return unreadableTarget
  }
}

function inOriginForm(target: string): string {
  const url = URL.parse(target)
  return url && /^https?:$/.test(url.protocol) ? url.pathname + url.search : unreadableTarget
}
