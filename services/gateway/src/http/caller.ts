import { type Caller, keptCaller } from '@gatehouse/kit/actor'
import type { FastifyRequest } from 'fastify'

/** From where a request came, as trusted proxies tell it (OAUTH2_SERVER_TRUST_PROXY_HEADERS). */
export function callerOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Caller {
  // A request whose caller has disconnected no longer has an address. A trusted proxy may pass on any text as one.
  return keptCaller({ ipAddress: ip ?? '', userAgent: headers['user-agent'] })
}
