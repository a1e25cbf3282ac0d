import { administeredFields, registrationOf } from '@gatehouse/http/client-document'
import type { ClientImportResult, ImportedClient } from '@gatehouse/proto/clientregistry/v1'
import { mostImportedClients } from '@gatehouse/proto/imports'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { clientExample } from './client-body.ts'
import { checkedOneByOne, commonFields, dryRunField, resultList } from './import-item.ts'

/** An imported client. Grants are any texts: those that this server does not have are left out. */
export const importedClientSchema = Type.Object(
  {
    client_id: Type.Optional(
      Type.String({ description: 'The id that the client keeps; by default a new one.' }),
    ),
    client_secret: Type.Optional(
      Type.String({
        description:
          'The secret that the client keeps. One with fewer than 20 characters is replaced by a new one, and so is an absent one.',
      }),
    ),
    ...commonFields('client'),
    ...administeredFields,
    grant_types: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The grants that the client may use; by default `authorization_code`. Those that this server does not have are left out.',
      }),
    ),
    scope: Type.Optional(
      Type.String({
        description:
          'Space-separated; by default `read`. Scopes that this server does not have are left out, and so is `admin`.',
      }),
    ),
  },
  { additionalProperties: false, title: 'ImportedClient' },
)

/** The clients of a request. */
export const clientImportSchema = Type.Object(
  {
    clients: Type.Array(checkedOneByOne(importedClientSchema), {
      maxItems: mostImportedClients,
      description: 'An invalid client fails alone.',
    }),
    ...dryRunField,
  },
  {
    title: 'ClientImport',
    examples: [
      {
        clients: [
          { client_id: 'shop', client_name: 'Shop', redirect_uris: ['https://shop.example.com/callback'] },
        ],
      },
    ],
  },
)

/** The result of an import of clients. */
export const clientImportResultSchema = Type.Object(
  {
    results: resultList('a client with this id', {
      client_id: Type.Optional(Type.String()),
      client_secret: Type.Optional(
        Type.String({
          description: 'The new secret of a client that came without one. It is shown only here.',
        }),
      ),
    }),
  },
  {
    title: 'ClientImportResult',
    description: 'What became of each client.',
    examples: [{ results: [{ outcome: 'created', client_id: clientExample.client_id }] }],
  },
)

/** A result for one client, as JSON. */
export type ClientImportResultBody = Static<typeof clientImportResultSchema>['results'][number]

/** An imported client as a message to the client registry. */
export function importedClient(item: Static<typeof importedClientSchema>): ImportedClient {
  const { firstParty = false, ...registration } = registrationOf(item)
  return {
    clientId: item.client_id || undefined,
    clientSecret: item.client_secret || undefined,
    registration,
    firstParty,
    disabled: item.disabled ?? false,
    createdAt: item.created_at === undefined ? undefined : new Date(item.created_at),
  }
}

/** A result of the client registry, as JSON. */
export function clientImportResult(result: ClientImportResult): ClientImportResultBody {
  const { outcome, clientId, clientSecret, reason } = result
  return {
    outcome: outcome === 'created' || outcome === 'exists' ? outcome : 'invalid',
    ...(clientId !== undefined && { client_id: clientId }),
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    ...(reason !== undefined && { reason }),
  }
}
