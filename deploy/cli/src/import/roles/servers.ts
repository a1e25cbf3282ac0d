import { identifierFault, resourceServerLimits as limits } from '@gatehouse/proto/resource-servers'
import { CommandFailure, exitCodes } from '../../failure.ts'
import { shown } from '../fields/fields.ts'

/** A resource server that has roles of Keycloak: those of one client, or those of the realm. */
export type RoleServer = {
  identifier: string
  /** Tokens in Keycloak's shape have it as the name of the client. */
  name: string
  /** The one scope that it has when it is created. */
  scope: string
}

/** The identifiers of resource servers that administrators choose. */
export type ChosenIdentifiers = {
  /** Of the realm's own roles. */
  realmIdentifier?: string | undefined
  /** Each the id of a client, `=` and the identifier. */
  identifiers?: readonly string[] | undefined
}

/**
 * The resource servers of a realm's roles, by the id of the client; that of the realm's own by undefined.
 * @param clients the ids of the clients that have roles
 * @throws CommandFailure for an invalid or repeated identifier, or one for a client without roles
 */
export function serversOf(
  realm: string,
  clients: readonly (string | undefined)[],
  { realmIdentifier, identifiers = [] }: ChosenIdentifiers,
): Map<string | undefined, RoleServer> {
  const chosen = new Map<string | undefined, string>(identifiers.map(pairOf))
  const stranger = [...chosen.keys()].find((client) => !clients.includes(client))
  if (stranger !== undefined)
    throw new CommandFailure(`The files have no client ${shown(stranger)} with roles.`, exitCodes.usage)
  if (realmIdentifier !== undefined) chosen.set(undefined, realmIdentifier)
  for (const identifier of chosen.values()) {
    const fault = identifierFault(identifier)
    if (fault) throw new CommandFailure(`The identifier ${shown(identifier)} ${fault}.`, exitCodes.usage)
  }
  const servers = clients.map((client): [string | undefined, RoleServer] => {
    const name = client ?? realm
    const identifier = chosen.get(client) ?? usualIdentifier(realm, client)
    return [client, { identifier, name: nameOf(name), scope: scopeOf(name) }]
  })
  const all = servers.map(([, { identifier }]) => identifier)
  const twice = all.find((identifier, index) => all.indexOf(identifier) !== index)
  if (twice !== undefined)
    throw new CommandFailure(`Two clients have the identifier ${shown(twice)}.`, exitCodes.usage)
  return new Map(servers)
}

function pairOf(text: string): [string, string] {
  const [, client, identifier] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (client !== undefined && identifier !== undefined) return [client, identifier]
  throw new CommandFailure(
    `"${text}" must be the id of a client, "=" and the identifier of its resource server.`,
    exitCodes.usage,
  )
}

/** A client whose id is an address is its own identifier: in Keycloak, tokens for it have its id as `aud`. */
function usualIdentifier(realm: string, client: string | undefined): string {
  if (client?.includes('://') && identifierFault(client) === undefined) return client
  return ['urn:keycloak', realm, ...(client === undefined ? [] : [client])]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join(':')
}

const nameOf = (name: string) => [...name.replaceAll(/\p{C}/gu, ' ')].slice(0, limits.name).join('')

/** Scopes are words of ASCII (RFC 6749 section 3.3). The prefix keeps it apart from those that have a meaning here. */
function scopeOf(name: string): string {
  return `use:${name.replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]/g, '_')}`.slice(0, limits.scope)
}
