import { lookup } from 'node:dns'
import type { Agent as HttpAgent } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import type { AddressRule } from './address-rule.ts'
import { http } from './node-http.ts'

/** What an agent needs. */
export type GuardedAgentDeps = {
  protocol: 'http:' | 'https:'
  rule: AddressRule
  /** The most connections to one host, which are kept open for later requests; undefined: each request has its own. */
  connections: number | undefined
  /** Resolves a host name; by default node:dns. */
  resolve?: typeof lookup | undefined
}

/** The code of the error for a name without an allowed address. */
export const notAllowedCode = 'ADDRESS_NOT_ALLOWED'

/**
 * Creates the agent that connects only to allowed addresses. A name is resolved once for each connection, and the connection
 * goes to one of the addresses that were checked, so the name cannot lead elsewhere afterwards (DNS rebinding). An address in
 * the URL itself is never resolved, so it is not checked here: see `urlFault`.
 */
export function createGuardedAgent(deps: GuardedAgentDeps): HttpAgent {
  const { Agent } = deps.protocol === 'https:' ? https : http
  return new Agent({
    ...(deps.connections !== undefined && { keepAlive: true, maxSockets: deps.connections }),
    lookup: guardedLookup(deps),
  })
}

function guardedLookup({ protocol, rule, resolve = lookup }: GuardedAgentDeps): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [])
      const allowed = found.filter(({ address }) => rule.allows(address, protocol))
      const [first] = allowed
      if (!first) return callback(Object.assign(new Error('not allowed'), { code: notAllowedCode }), [])
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
