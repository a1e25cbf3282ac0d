import type { Agent as HttpAgent } from 'node:http'
import https from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { ResolveName } from '../names/name-resolver.ts'
import { http } from '../node-http.ts'
import type { AddressRule } from './address-rule.ts'

/** The needs of an agent. */
export type GuardedAgentDeps = {
  protocol: 'http:' | 'https:'
  rule: AddressRule
  /** The most connections to one host, which are kept open for later requests; undefined: each request has its own. */
  connections: number | undefined
  resolve: ResolveName
}

/** The code of the error for a name without an allowed address. */
export const notAllowedCode = 'ADDRESS_NOT_ALLOWED'

/**
 * Creates the agent that connects only to allowed addresses. A name is resolved once for each connection, and the connection
 * goes to one of the addresses that were checked, so the name cannot lead elsewhere afterwards (DNS rebinding). An address in
 * the URL itself is never resolved, so it is not checked here: see `urlFault`. A look-up ends with its connection.
 */
export function createGuardedAgent(deps: GuardedAgentDeps): HttpAgent {
  const { Agent } = deps.protocol === 'https:' ? https : http
  const agent = new Agent({
    ...(deps.connections !== undefined && { keepAlive: true, maxSockets: deps.connections }),
  })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const ended = new AbortController()
    const socket = connect({ ...options, lookup: guardedLookup(deps, ended.signal) }, callback)
    socket?.once('close', () => ended.abort())
    return socket
  }
  return agent
}

function guardedLookup({ protocol, rule, resolve }: GuardedAgentDeps, ended: AbortSignal): LookupFunction {
  return (hostname, options, callback) => {
    const answer = (found: string[]) => {
      const allowed = found
        .filter((address) => rule.allows(address, protocol))
        .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
      const [first] = allowed
      if (!first) return callback(Object.assign(new Error('not allowed'), { code: notAllowedCode }), [])
      if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    }
    resolve(hostname, ended).then(answer, (error) => callback(error, []))
  }
}
