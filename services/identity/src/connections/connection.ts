import { type ListRequest, type ListStore, listAdministered } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import type { Page } from '@gatehouse/kit/page'
import { connections as definition } from '@gatehouse/proto/administered/connections'
import {
  type ConnectionKind,
  isConnectionId,
  type NewUsersRule,
  type UpstreamAuthentication,
} from '@gatehouse/proto/connections'
import type { InOrganization } from '../organizations/acting.ts'
import type { MappingRule } from './mapping-rule.ts'

/** The fields of a connection that people set. */
export type ConnectionSettings = {
  /** Shown on its button. */
  name: string
  /** undefined for a kind that has one of its own. */
  issuer: string | undefined
  clientId: string
  clientAuthentication: UpstreamAuthentication
  /** Space-separated. */
  scope: string
  /** Space-separated; undefined for none. */
  acrValues: string | undefined
  /** Of Microsoft: the tenants whose users may log in, in lower case; empty for all. */
  tenants: readonly string[]
  trustsSecondFactor: boolean
  newUsers: NewUsersRule
  mapping: readonly MappingRule[]
  /** As readDomain gives them. */
  domains: readonly string[]
  onLoginPage: boolean
}

/** A connection to another identity provider, without its secrets. */
export type Connection = ConnectionSettings & {
  connectionId: string
  /** undefined: it is of the instance. */
  organizationId: InOrganization
  kind: ConnectionKind
  hasClientSecret: boolean
  /** The public JWK of private_key_jwt. */
  clientPublicKey: Readonly<Record<string, unknown>> | undefined
  createdAt: Date
  /** undefined: it is active. */
  disabledAt: Date | undefined
  /** Rises with each change. */
  revision: bigint
  /** The columns of its list without a field here. */
  columns: Readonly<Record<string, unknown>>
}

/** How many links a connection has, and how many of them lead to nobody because it has another issuer now. */
export type LinkCounts = { links: number; orphanedLinks: number }

/** Reads connections. */
export type ConnectionStore = ListStore<typeof definition, Connection> & {
  get(connectionId: string): Promise<Connection | undefined>
  countLinks(connectionId: string): Promise<LinkCounts>
  /** The numbers of links of some connections, up to one more than `mostCounted`. */
  countLinksUpTo(mostCounted: number, connectionIds: readonly string[]): Promise<Map<string, number>>
}

/**
 * Connections for administrators, or those of an organization by its filter. A search may be a whole id.
 * @throws Refusal as listAdministered
 */
export function listConnections(
  request: ListRequest,
  store: ConnectionStore,
): Promise<Page<Connection> & { total: number }> {
  return listAdministered(definition, request, {
    total: store.total,
    async list(wanted) {
      const { search, filter } = wanted
      const connectionId = search?.toLowerCase() ?? ''
      if (!isConnectionId(connectionId)) return store.list(wanted)
      const found = await store.get(connectionId)
      const isWanted = found !== undefined && matches(found, filter)
      return { items: isWanted ? [found] : [], nextCursor: undefined }
    },
  })
}

function matches(
  { organizationId, kind, disabledAt }: Connection,
  wanted: { organization?: string | undefined; kind?: string | undefined; disabled?: boolean | undefined },
): boolean {
  return (
    (wanted.organization === undefined || wanted.organization === (organizationId ?? 'none')) &&
    (wanted.kind === undefined || wanted.kind === kind) &&
    (wanted.disabled === undefined || wanted.disabled === (disabledAt !== undefined))
  )
}

/**
 * Finds a connection, disabled ones too.
 * @param organization the organization that must have it; undefined for any
 * @throws Refusal not_found
 */
export async function getConnection(
  connectionId: string,
  store: Pick<ConnectionStore, 'get'>,
  organization?: InOrganization,
): Promise<Connection> {
  const found = isConnectionId(connectionId) ? await store.get(connectionId) : undefined
  if (found === undefined || (organization !== undefined && found.organizationId !== organization))
    throw unknownConnection()
  return found
}

/** The refusal for an id that no connection has, or none that the acting member may see. */
export function unknownConnection(): Refusal {
  return new Refusal('not_found', 'There is no such connection.')
}
