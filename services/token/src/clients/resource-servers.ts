import { Refusal } from '@gatehouse/kit/errors'
import { shared } from '@gatehouse/kit/shared'
import { type ClaimsShape, sameIdentifiers } from '@gatehouse/proto/resource-servers'

/** A resource server, as far as the token service needs it. */
export type ResourceServer = {
  resourceId: string
  /** The absolute URI that tokens for it have as `aud`. */
  identifier: string
  name: string
  /** Its scopes, each with words for the consent page. */
  scopes: ReadonlyMap<string, string>
  /** The longest lifetime of access tokens for it, in seconds; undefined for that of the client. */
  tokenLifetime: number | undefined
  /** Whether clients that register themselves may have its scopes. */
  openRegistration: boolean
  /** The client as which it authenticates at introspection, if it does. */
  clientId?: string | undefined
  disabled: boolean
  /** The scopes that each of its roles gives, by the role's name. */
  roles: ReadonlyMap<string, readonly string[]>
  /** Whether the scope of tokens for it is only what the roles of their user or client give. */
  scopesByRole: boolean
  /** The claims about users that access tokens for it have. */
  tokenClaims: readonly string[]
  /** How these are written. */
  claimsShape: ClaimsShape
  /** Changes with each change of it. Of two resource servers, the one that was changed last has the greater one. */
  revision: bigint
}

/** Reads a shape. A registry of release 0.7.0 sends none. */
export function claimsShapeOf(value: unknown): ClaimsShape {
  return value === 'keycloak' ? value : 'flat'
}

/** All resource servers at one moment. */
export type KnownResourceServers = {
  byIdentifier: ReadonlyMap<string, ResourceServer>
  /** Every scope that one of them has defined, a disabled one too. */
  scopes: ReadonlySet<string>
  /** The identifiers of the resource servers that authenticate as a client, by its id. */
  byClient: ReadonlyMap<string, ReadonlySet<string>>
}

/** The resource servers where OAUTH2_RESOURCE_INDICATORS is off: none. */
export const noResourceServers: KnownResourceServers = {
  byIdentifier: new Map(),
  scopes: new Set(),
  byClient: new Map(),
}

/** The resource servers in memory, as the client registry had them a moment ago. */
export type ResourceServers = {
  /** @throws Refusal temporarily_unavailable when the registry has not answered for some seconds */
  current(): KnownResourceServers
  /** The same, however old; undefined when the registry has never answered. */
  last(): KnownResourceServers | undefined
  /** Asks the registry. Concurrent calls share one request. @throws the failure of the registry */
  refresh(): Promise<void>
}

/** The needs of keeping the resource servers. */
export type ResourceServersDeps = {
  /**
   * @param version the version of the last answer, if any
   * @returns undefined when that version is still the current one
   */
  lookup(version: string | undefined): Promise<{ version: string; servers: ResourceServer[] } | undefined>
  /** Milliseconds of a clock that never goes back. */
  monotonicNow(): number
}

/** How long an answer of the registry counts, in milliseconds: as long as a cached client while the registry is away. */
const longestAge = 5_900

/**
 * Keeps all resource servers in memory. There are few (`resourceServerLimits.servers` at most), and a scope cannot be judged
 * without knowing which of them have defined it.
 */
export function createResourceServers({ lookup, monotonicNow }: ResourceServersDeps): ResourceServers {
  let version: string | undefined
  let known: KnownResourceServers | undefined
  let confirmedAt = Number.NEGATIVE_INFINITY

  return {
    current() {
      if (known !== undefined && monotonicNow() - confirmedAt <= longestAge) return known
      const detail = 'the resource servers cannot be read from the client registry'
      throw new Refusal('temporarily_unavailable', undefined, { detail })
    },
    last: () => known,
    refresh: shared(async () => {
      const askedAt = monotonicNow()
      const answer = await lookup(version)
      if (answer !== undefined) {
        version = answer.version
        known = indexed(answer.servers)
      }
      confirmedAt = askedAt
    }),
  }
}

function indexed(servers: readonly ResourceServer[]): KnownResourceServers {
  const byClient = new Map<string, Set<string>>()
  for (const { clientId, identifier } of servers) {
    if (clientId !== undefined)
      byClient.set(clientId, new Set([...(byClient.get(clientId) ?? []), identifier]))
  }
  return {
    byIdentifier: new Map(
      servers.flatMap((server) => sameIdentifiers(server.identifier).map((one) => [one, server])),
    ),
    scopes: new Set(servers.flatMap(({ scopes }) => [...scopes.keys()])),
    byClient,
  }
}
