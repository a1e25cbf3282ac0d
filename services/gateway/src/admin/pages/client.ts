import type { AdminDeps } from '@gatehouse/admin-api/deps'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { Client } from '@gatehouse/proto/clientregistry/v1'
import type { ClientFacts } from './contents.ts'
import { metadataInputs } from './metadata-inputs.ts'

/** An update that changes nothing, to spread before the fields that change. */
export const unchanged = {
  revision: 0n,
  clientName: undefined,
  redirectUris: undefined,
  grantTypes: undefined,
  scope: undefined,
  firstParty: undefined,
  disabled: undefined,
  metadata: undefined,
} as const

/** The path of a client's page. */
export function pathOf(clientId: string): string {
  return `/admin/clients/${encodeURIComponent(clientId)}`
}

/** @throws Refusal not_found */
export async function clientOf(
  clientId: string,
  { clientRegistry }: Pick<AdminDeps, 'clientRegistry'>,
): Promise<Client> {
  const { client } = await clientRegistry.getClient({ clientId })
  if (client === undefined) throw new Error('the client registry gave no client')
  return client
}

/** A client as pages show it. */
export function factsOf(client: Client): ClientFacts {
  const { clientId, clientName, tokenEndpointAuthMethod, firstParty, disabled } = client
  const statuses: ClientFacts['statuses'] = [
    disabled ? { text: 'Disabled', kind: 'off' } : { text: 'Enabled', kind: 'on' },
    ...(firstParty ? [{ text: 'First-party', kind: 'plain' } as const] : []),
    ...(isDocumentClientId(clientId) ? [{ text: 'Metadata document', kind: 'plain' } as const] : []),
    ...(tokenEndpointAuthMethod === 'none' ? [{ text: 'Public', kind: 'plain' } as const] : []),
  ]
  return {
    clientId,
    name: clientName,
    redirectUris: client.redirectUris,
    grantTypes: client.grantTypes,
    scope: client.scope,
    authentication: tokenEndpointAuthMethod,
    statuses,
    disabled,
    createdAt: client.createdAt,
    metadata: metadataInputs(client.metadata ?? {}).filter(({ value }) => value !== ''),
    revision: String(client.revision),
    secretsEnd: client.secrets.map(({ expiresAt }) => expiresAt),
  }
}
