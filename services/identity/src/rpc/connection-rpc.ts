import { readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { type Implementation, implement } from '@gatehouse/kit/rpc/rpc-server'
import {
  type Connection as ConnectionMessage,
  ConnectionServiceService,
  type MappingRule as RuleMessage,
} from '@gatehouse/proto/connection/v1'
import {
  type Connection,
  type ConnectionStore,
  getConnection,
  type LinkCounts,
  listConnections,
} from '../connections/connection.ts'
import {
  type ConnectionChangeDeps,
  createConnection,
  deleteConnection,
  updateConnection,
} from '../connections/connection-change.ts'
import type { SentConnection } from '../connections/connection-fields.ts'
import { type LinkDeps, listLinks, removeLink } from '../connections/link.ts'
import type { MappingRule } from '../connections/mapping-rule.ts'

/** The needs of the domain functions behind the RPCs about connections. */
export type ConnectionRpcDeps = ConnectionChangeDeps & LinkDeps & { connections: ConnectionStore }

/** How many links of a connection are counted for a list; one more stands for more. */
const mostLinksInList = 1_000

/** The RPCs about connections and their links. */
export function connectionRpcs(deps: ConnectionRpcDeps): Implementation {
  return implement(ConnectionServiceService, {
    async listConnections(request) {
      const { items, nextCursor, total } = await listConnections(request, deps.connections)
      const ids = items.map(({ connectionId }) => connectionId)
      const counts = request.withLinks
        ? await deps.connections.countLinksUpTo(mostLinksInList, ids)
        : undefined
      const connections = items.map((item) => {
        const links = counts?.get(item.connectionId)
        return { ...connectionMessage(item), ...(links !== undefined && { links: BigInt(links) }) }
      })
      return { connections, nextCursor, total: BigInt(total) }
    },

    async getConnection({ connectionId, organizationId }) {
      const connection = await getConnection(connectionId, deps.connections, organizationId)
      const counts = await deps.connections.countLinks(connectionId)
      return { connection: connectionMessage(connection, counts) }
    },

    async createConnection({ connection, clientSecret, disabled, actor, actingMember }) {
      const { organizationId, kind, ...sent } = needed(connection)
      const wanted = { ...settingsOf(sent), organizationId, kind, clientSecret, disabled }
      const created = await createConnection(wanted, readActor(actor), deps, actingMember)
      return { connection: connectionMessage(created) }
    },

    async updateConnection({ connection, fields, actor, actingMember, ...change }) {
      const sent = connection === undefined ? {} : onlyIn(settingsOf(connection), fields)
      const updated = await updateConnection({ ...change, ...sent }, readActor(actor), deps, actingMember)
      return {
        connection: connectionMessage(updated, await deps.connections.countLinks(updated.connectionId)),
      }
    },

    async deleteConnection({ actor, actingMember, ...which }) {
      await deleteConnection(which, readActor(actor), deps, actingMember)
      return {}
    },

    listLinks: (request) => listLinks(request, deps),

    async removeLink({ actor, ...which }) {
      await removeLink(which, readActor(actor), deps)
      return {}
    },
  })
}

function needed(connection: ConnectionMessage | undefined): ConnectionMessage {
  if (connection === undefined) throw new Refusal('invalid_request', 'The connection is missing.')
  return connection
}

type SentSettings = Pick<ConnectionMessage, Exclude<keyof SentConnection, 'mapping'> | 'mapping'>

function settingsOf(sent: Omit<SentSettings, 'kind'>): SentConnection {
  return {
    name: sent.name,
    issuer: sent.issuer ?? '',
    clientId: sent.clientId,
    clientAuthentication: sent.clientAuthentication,
    scope: sent.scope,
    acrValues: sent.acrValues ?? '',
    tenants: sent.tenants,
    trustsSecondFactor: sent.trustsSecondFactor,
    newUsers: sent.newUsers,
    mapping: sent.mapping,
    domains: sent.domains,
    onLoginPage: sent.onLoginPage,
  }
}

/** The settings that are named, by the names of the message's fields. @throws Refusal invalid_request */
function onlyIn(settings: SentConnection, fields: readonly string[]): Partial<SentConnection> {
  const known = new Map(Object.entries(settings).map(([name, value]) => [inSnakeCase(name), [name, value]]))
  const wanted = fields.map((field) => {
    const found = known.get(field)
    if (found === undefined)
      throw new Refusal('invalid_request', `fields must be of ${[...known.keys()].join(', ')}.`)
    return found
  })
  return Object.fromEntries(wanted)
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function connectionMessage(
  { clientPublicKey, mapping, tenants, domains, columns, ...connection }: Connection,
  counts?: LinkCounts,
): ConnectionMessage {
  return {
    ...connection,
    tenants: [...tenants],
    domains: [...domains],
    mapping: mapping.map(ruleMessage),
    clientPublicKey: clientPublicKey && { ...clientPublicKey },
    callbackPath: `/auth/callback/${connection.connectionId}`,
    links: counts && BigInt(counts.links),
    orphanedLinks: counts && BigInt(counts.orphanedLinks),
    columns: { ...columns },
  }
}

function ruleMessage({ role, ...rule }: MappingRule): RuleMessage {
  return { ...rule, role: role && { ...role } }
}
