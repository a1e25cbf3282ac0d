import { Refusal } from '@gatehouse/kit/errors'
import { writeConsentedScope } from '@gatehouse/proto/consented-scope'
import { identifierFault, mostRequestedResources } from '@gatehouse/proto/resource-servers'
import type { Client } from './client-authentication.ts'
import type { KnownResourceServers, ResourceServer, ResourceServers } from './resource-servers.ts'
import { asksForOpenid, grantScope } from './scope.ts'

/** The target of the tokens that are asked for. */
export type Target = {
  /** The resource servers; none for the default audience. */
  servers: readonly ResourceServer[]
  /** The part of the client's scope that it may have for this target, space-separated; empty for nothing. */
  scope: string
  /** Finds the identifier of an enabled resource server that has defined a scope. Only a refusal needs it. */
  ownerOf?(scope: string): string | undefined
}

/**
 * The resource servers that a request names, or the one that is predefined for its client (RFC 8707 section 2): it is judged as if it were
 * named. A request of OpenID Connect has none by default, since it is for userinfo.
 */
export function requestedOrDefault(
  request: { resources: readonly string[]; scope: string },
  client: Pick<Client, 'scope' | 'metadata'>,
): readonly string[] {
  const { default_resource: byDefault } = client.metadata
  if (request.resources.length > 0 || byDefault === undefined) return request.resources
  return asksForOpenid(request, client) ? [] : [byDefault]
}

/** A client that asks for tokens. */
export type TargetingClient = Pick<Client, 'scope' | 'scopeSetBy'>

/** Decides for which resource servers a client may have tokens, and who may see them (RFC 8707). */
export type ResourceIndicators = {
  /**
   * The target of a request.
   * @param requested the identifiers in the request; none for the default audience
   * @throws Refusal invalid_target, temporarily_unavailable
   */
  targetOf(requested: readonly string[], client: TargetingClient): Promise<Target>
  /** Those of a grant's resource servers for which the client may still have tokens. */
  usable(granted: readonly string[], client: TargetingClient): string[]
  /** Whether none of these resource servers was disabled or deleted, as far as is known. */
  areEnabled(identifiers: readonly string[]): boolean
  /**
   * Whether a client may see a token at introspection. A client as which resource servers authenticate sees only tokens for them.
   * @param identifiers the audience of the token; none for a refresh token
   */
  maySee(clientId: string, identifiers: readonly string[]): boolean
}

/** The rule where OAUTH2_RESOURCE_INDICATORS is off: the parameter is ignored, and no token is for a resource server. */
export const noResourceIndicators: ResourceIndicators = {
  targetOf: async (_, { scope }) => ({ servers: [], scope }),
  usable: () => [],
  areEnabled: () => false,
  maySee: () => true,
}

/**
 * The rule for the resource servers that administrators have created. A client may ask for tokens for a resource server when
 * its own scope has one of those of the resource server, and the resource server is open to registration or an administrator
 * decided the client's scope. A scope that only resource servers have defined can be had only for one of them.
 * @param ownScopes the scopes of this server itself
 */
export function createResourceIndicators(
  resourceServers: ResourceServers,
  ownScopes: ReadonlySet<string>,
): ResourceIndicators {
  function scopeFor(
    servers: readonly ResourceServer[],
    scope: string,
    { scopes }: KnownResourceServers,
  ): string {
    if (scopes.size === 0) return scope
    const may = (word: string) =>
      !scopes.has(word) || ownScopes.has(word) || servers.some((server) => server.scopes.has(word))
    return scope.split(' ').filter(may).join(' ')
  }

  function ownerOf(word: string, { byIdentifier }: KnownResourceServers): string | undefined {
    return [...byIdentifier.values()].find((server) => !server.disabled && server.scopes.has(word))
      ?.identifier
  }

  const enabled = (identifier: string, { byIdentifier }: KnownResourceServers) => {
    const server = byIdentifier.get(identifier)
    return server?.disabled ? undefined : server
  }

  async function find(requested: ReadonlySet<string>): Promise<ResourceServer[]> {
    const now = () => [...requested].flatMap((one) => enabled(one, resourceServers.current()) ?? [])
    const found = now()
    if (found.length === requested.size) return [...new Set(found)]
    // One that was created or enabled a moment ago.
    await resourceServers.refresh().catch(() => undefined)
    const refound = now()
    if (refound.length === requested.size) return [...new Set(refound)]
    throw new Refusal('invalid_target', 'This server has no such resource server, or it is disabled.')
  }

  return {
    async targetOf(requested, client) {
      const { scope } = client
      const servers = requested.length === 0 ? [] : await find(checked(requested))
      if (!servers.every((server) => accepts(server, client)))
        throw new Refusal('invalid_target', 'The client may not have tokens for this resource server.')
      const known = resourceServers.current()
      return { servers, scope: scopeFor(servers, scope, known), ownerOf: (word) => ownerOf(word, known) }
    },

    usable(granted, client) {
      const known = resourceServers.current()
      return granted.filter((identifier) => {
        const server = enabled(identifier, known)
        return server !== undefined && accepts(server, client)
      })
    },

    areEnabled(identifiers) {
      const known = resourceServers.last()
      return known === undefined || identifiers.every((identifier) => enabled(identifier, known))
    },

    maySee(clientId, identifiers) {
      const its = resourceServers.current().byClient.get(clientId)
      return its === undefined || identifiers.some((identifier) => its.has(identifier))
    },
  }
}

/** @throws Refusal invalid_target */
function checked(requested: readonly string[]): Set<string> {
  if (requested.length > mostRequestedResources)
    throw new Refusal('invalid_target', `A request may name at most ${mostRequestedResources} resources.`)
  for (const identifier of requested) {
    const fault = identifierFault(identifier)
    if (fault) throw new Refusal('invalid_target', `resource ${fault}.`)
  }
  return new Set(requested)
}

/** Whether a client may have tokens for a resource server. */
function accepts(server: ResourceServer, { scope, scopeSetBy }: TargetingClient): boolean {
  return (server.openRegistration || scopeSetBy === 'administrator') && hasScopeOf(server, scope)
}

function hasScopeOf({ scopes }: ResourceServer, scope: string): boolean {
  return scope.split(' ').some((word) => scopes.has(word))
}

/** The identifiers of a target's resource servers. */
export function identifiersOf({ servers }: Pick<Target, 'servers'>): string[] {
  return servers.map(({ identifier }) => identifier)
}

/**
 * The scope to grant for a target: the requested one, or everything that the client may have for it.
 * @param requested space-separated; empty for everything
 * @throws Refusal invalid_scope; invalid_target when the scope has none of those of a requested resource server
 */
export function grantTargetScope(requested: string, target: Target, client: Pick<Client, 'scope'>): string {
  const word = target.scope === client.scope ? undefined : scopeOfOthers(requested, target, client)
  if (word !== undefined && (requested !== '' || target.scope === ''))
    throw new Refusal('invalid_scope', belongsElsewhere(word, target.ownerOf?.(word)))
  const granted = grantScope(requested, target.scope)
  if (!target.servers.every((server) => hasScopeOf(server, granted)))
    throw new Refusal('invalid_target', 'The scope has none of those of a requested resource server.')
  return granted
}

function belongsElsewhere(word: string, identifier: string | undefined): string {
  const named = 'that the request does not name: send resource'
  return identifier === undefined
    ? `The scope ${word} belongs to a resource server ${named}.`
    : `The scope ${word} belongs to the resource server ${identifier}, ${named}=${identifier}.`
}

/** The first scope of the client that a request asks for and cannot have for the target. */
function scopeOfOthers(requested: string, target: Target, client: Pick<Client, 'scope'>): string | undefined {
  const left = new Set(target.scope.split(' '))
  const registered = client.scope.split(' ')
  const words = requested === '' ? registered : requested.split(' ')
  return words.find((word) => registered.includes(word) && !left.has(word))
}

/** The scopes of a request that this server itself has defined, and those of each of its resource servers. */
function parted(scope: string, servers: readonly ResourceServer[]) {
  const words = scope.split(' ')
  return {
    own: words.filter((word) => !servers.some(({ scopes }) => scopes.has(word))),
    resources: servers.map((server) => ({
      server,
      scopes: words.filter((word) => server.scopes.has(word)),
    })),
  }
}

/** The scope that a consent to a request remembers. */
export function consentScopeOf(scope: string, { servers }: Pick<Target, 'servers'>): string {
  const { own, resources } = parted(scope, servers)
  return writeConsentedScope(
    own,
    resources.map(({ server: { resourceId }, scopes }) => ({ resourceId, scopes })),
  )
}

/** A resource server of a request, as the consent page shows it. */
export type RequestedResource = {
  identifier: string
  name: string
  /** The requested scopes that it has defined, space-separated. */
  scope: string
  /** The access that each of these scopes gives, in the words of the resource server. */
  descriptions: string[]
}

/** The resource servers of a request, as the consent page shows them. */
export function requestedResources(scope: string, { servers }: Pick<Target, 'servers'>): RequestedResource[] {
  return parted(scope, servers).resources.map(({ server, scopes }) => ({
    identifier: server.identifier,
    name: server.name,
    scope: scopes.join(' '),
    descriptions: scopes.map((word) => server.scopes.get(word) ?? word),
  }))
}
