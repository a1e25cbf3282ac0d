import { createResourceIndicators, type ResourceIndicators } from '../../src/clients/resource-indicators.ts'
import {
  createResourceServers,
  type ResourceServer,
  type ResourceServers,
} from '../../src/clients/resource-servers.ts'

/** The identifiers of two resource servers. */
export const tools = 'https://tools.example'
export const files = 'https://files.example'

/** A resource server with one scope. */
export function someServer(changes: Partial<ResourceServer> = {}): ResourceServer {
  return {
    ...{
      resourceId: 'tools-id',
      identifier: tools,
      name: 'Tools',
      scopes: new Map([['tools:use', 'Use its tools']]),
    },
    ...{ tokenLifetime: undefined, openRegistration: false, disabled: false, revision: 1n },
    ...{ roles: new Map(), scopesByRole: false, tokenClaims: [], claimsShape: 'flat' },
    ...changes,
  }
}

/** The second one. */
export function filesServer(changes: Partial<ResourceServer> = {}): ResourceServer {
  const scopes = new Map([['files:read', 'Read its files']])
  return someServer({ resourceId: 'files-id', identifier: files, name: 'Files', scopes, ...changes })
}

/** The rule for resource servers over a registry in memory. */
export type ResourceRegistry = {
  indicators: ResourceIndicators
  known: ResourceServers['last']
  /** Replaces the servers; the token service learns of it at its next look-up. */
  put(...servers: ResourceServer[]): void
  /** Asks the registry, as the token service does again and again. */
  refresh(): Promise<void>
  /** How often it was asked. */
  asked(): number
  goAway(): void
  pass(milliseconds: number): void
}

/** Starts the rule over a registry in memory. The scopes `read` and `write` are the server's own. */
export async function startResources(...servers: ResourceServer[]): Promise<ResourceRegistry> {
  let registered = servers
  let version = 1
  let asked = 0
  let away = false
  let now = 0
  const memory = createResourceServers({
    async lookup(known) {
      asked += 1
      if (away) throw new Error('the registry is away')
      return known === String(version) ? undefined : { version: String(version), servers: registered }
    },
    monotonicNow: () => now,
  })
  await memory.refresh()
  return {
    indicators: createResourceIndicators(memory, new Set(['read', 'write'])),
    known: memory.last,
    put(...changed) {
      registered = changed
      version += 1
    },
    refresh: memory.refresh,
    asked: () => asked,
    goAway() {
      away = true
    },
    pass(milliseconds) {
      now += milliseconds
    },
  }
}
