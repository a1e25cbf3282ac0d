import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type {
  Connection,
  ConnectionLoginServiceService,
  ConnectionServiceService,
} from '@gatehouse/proto/connection/v1'
import { isConnectionId } from '@gatehouse/proto/connections'
import { TranslatedRefusal } from '../pages/translated-refusal.ts'
import type { ProblemWords } from './problems.ts'
import { type MemberVisit, organizationsPage } from './visit.ts'

/** The services about connections. */
export type ConnectionServices = RpcClient<typeof ConnectionServiceService> &
  RpcClient<typeof ConnectionLoginServiceService>

/** The address of the pages of connections, as a route. */
export const connectionsUrl = `${organizationsPage}/:organizationId/connections`

/** The refusal for a connection that the organization does not have, whether others have it or nobody. */
export const goneConnection = new TranslatedRefusal('not_found', (t) => t.organizationConnections.gone)

/** The words for what the identity service refuses about a connection. */
export const connectionProblems: ProblemWords = [
  ['name ', (t) => t.organizationConnections.problems.name, 'name'],
  ['issuer: ', (t, sentence) => t.organizationConnections.problems.metadata(whyIn(sentence)), 'issuer'],
  ['issuer ', (t) => t.organizationConnections.problems.issuer, 'issuer'],
  ['client_id ', (t) => t.organizationConnections.problems.client_id, 'client_id'],
  [
    'client_authentication ',
    (t) => t.organizationConnections.problems.client_authentication,
    'client_authentication',
  ],
  [
    'client_secret must be sent with another issuer',
    (t) => t.organizationConnections.problems.secretAgain,
    'client_secret',
  ],
  ['client_secret must be absent', (t) => t.organizationConnections.problems.secretUnused, 'client_secret'],
  ['client_secret ', (t) => t.organizationConnections.problems.client_secret, 'client_secret'],
  ['scope ', (t) => t.organizationConnections.problems.scope, 'scope'],
  ['acr_values ', (t) => t.organizationConnections.problems.acr_values, 'acr_values'],
  ['tenants ', (t) => t.organizationConnections.problems.tenants, 'tenants'],
  ['new_users ', (t) => t.organizationConnections.problems.new_users, 'new_users'],
  ['domains ', (t) => t.organizationConnections.problems.domains, 'domains'],
  ['Each of domains ', (t) => t.organizationConnections.problems.domains, 'domains'],
  ['The organization has', (t) => t.organizationConnections.problems.tooMany],
  ['The secret or key of a connection cannot be stored', (t) => t.organizationConnections.problems.noKey],
  ['This connection was changed meanwhile', (t) => t.organizationConnections.outdated],
  ['There is no such connection', (t) => t.organizationConnections.gone],
]

/** The part of a sentence about metadata that says why they cannot be used. It is in English, for whoever sets up the provider. */
function whyIn(sentence: string): string {
  return sentence.replace(/^issuer: (the metadata at \S+ cannot be used: )?/, '')
}

/**
 * The connection that the path names.
 * @throws Refusal not_found for one that the organization does not have
 */
export async function connectionIn(
  params: unknown,
  { change: { organizationId } }: Pick<MemberVisit, 'change'>,
  { connectionService }: { connectionService: Pick<ConnectionServices, 'getConnection'> },
): Promise<Connection> {
  const { connectionId = '' } = params as { connectionId?: string }
  if (!isConnectionId(connectionId)) throw goneConnection
  const found = await connectionService.getConnection({ connectionId, organizationId }).catch((error) => {
    if (error instanceof Refusal && error.code === 'not_found') return undefined
    throw error
  })
  // The identity service finds no other; if one that did were asked, it would be shown to nobody.
  if (found?.connection?.organizationId !== organizationId) throw goneConnection
  return found.connection
}
