import { documentFields, documentOf } from '@gatehouse/http/client-document'
import { clients } from '@gatehouse/proto/administered/clients'
import { defaultAuthenticationMethod } from '@gatehouse/proto/client-authentication'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import { clientDecider, clientDeciders } from '@gatehouse/proto/client-metadata'
import type { Client } from '@gatehouse/proto/clientregistry/v1'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { carriedFields } from './administered.ts'
import { moment, momentOf } from './schemas.ts'

const clientFields = {
  ...documentFields,
  first_party: Type.Boolean(),
  disabled: Type.Boolean(),
  metadata_document: Type.Optional(
    Type.Boolean({
      description:
        'True for a client that the metadata document at its client_id describes; absent for every other.',
    }),
  ),
  created_by: Type.Enum([...clientDeciders], {
    description: 'Whether an administrator created the client, or it registered itself.',
  }),
  ...carriedFields(clients),
  created_at: moment('When the client was created.'),
  revision: Type.Integer({ description: 'Increases with every change.' }),
  secrets: Type.Array(
    Type.Object({
      secret_id: Type.Optional(
        Type.String({
          description: 'By which `DELETE …/secrets/{secret_id}` ends it. Nothing of the secret is in it.',
        }),
      ),
      created_at: Type.Optional(moment('When the secret was created.')),
      last_used_at: Type.Optional(
        moment('When the client last authenticated with it, to within some minutes; absent if it never did.'),
      ),
      expires_at: Type.Optional(
        moment('When the secret expires; absent if it is valid until it is replaced.'),
      ),
    }),
    { description: 'One for each valid secret, the newest first, without the secret itself.' },
  ),
}
/** A client for the document. */
export const clientExample = {
  client_id: '<CLIENT_ID>',
  client_name: 'Acme nightly jobs',
  redirect_uris: [],
  grant_types: ['client_credentials'],
  scope: 'read write',
  token_endpoint_auth_method: defaultAuthenticationMethod,
  first_party: false,
  disabled: false,
  created_by: 'administrator' as const,
  created_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
  secrets: [
    {
      secret_id: '<SECRET_ID>',
      created_at: '2026-01-01T00:00:00.000Z',
      last_used_at: '2026-02-01T00:00:00.000Z',
    },
  ],
}
/** A client as administrators see it. */
export const clientSchema = Type.Object(clientFields, {
  title: 'OAuthClient',
  description: 'The client.',
  examples: [clientExample],
})
/** The same, with a new secret. */
export const clientWithSecret = Type.Object(
  {
    ...clientFields,
    client_secret: Type.Optional(
      Type.String({ description: 'A new secret, shown only once. A public client has none.' }),
    ),
  },
  {
    title: 'ClientWithSecret',
    description: 'The client, and its secret.',
    examples: [{ ...clientExample, client_secret: '<CLIENT_SECRET>' }],
  },
)
/** A client as JSON. @throws Error where the client registry gave none */
export function clientBody(client: Client | undefined): Static<typeof clientSchema> {
  if (client === undefined) throw new Error('the client registry gave no client')
  return {
    ...documentOf(client),
    disabled: client.disabled,
    ...(isDocumentClientId(client.clientId) && { metadata_document: true }),
    created_by: clientDecider(client.createdBy),
    ...client.columns,
    created_at: momentOf(client.createdAt),
    revision: Number(client.revision),
    secrets: client.secrets.map(({ secretId, createdAt, expiresAt, lastUsedAt }) => ({
      secret_id: secretId,
      created_at: momentOf(createdAt),
      ...(lastUsedAt && { last_used_at: momentOf(lastUsedAt) }),
      ...(expiresAt && { expires_at: momentOf(expiresAt) }),
    })),
  }
}

/** The same, with its new secret, if it has one. */
export function withSecret(client: Client | undefined, secret: string | undefined) {
  return { ...clientBody(client), ...(secret !== undefined && { client_secret: secret }) }
}
