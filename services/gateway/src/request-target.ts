/** The address that stands for every one that cannot be read. No route has it. */
export const unreadableTarget = '/%00'

/**
 * A request's target (RFC 9112 section 3.2) as a path with its query. Fastify answers what its router cannot decode before
 * any hook runs, so nothing would count it; with an address that can be routed it is a request like every other.
 * @param target as it came: origin-form, or absolute-form, which a server must take as well
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
