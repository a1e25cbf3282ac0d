import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { type FieldTable, kept } from './fields.ts'

const frontchannel = {
  means: 'the client is not told of logouts through the browser: set backchannel_logout_uri.',
}
const ownAccess = { means: 'with its old token and address, the client can no longer change itself.' }

/** The fields that have the same name and meaning in an export of Hydra: those of RFC 7591. */
export const sameFields = [
  ...['client_id', 'client_secret', 'created_at'],
  ...clientFieldEntries.filter(([, { hidden }]) => !hidden).map(([name]) => name),
]

/** The fields of a client in Hydra 1 and 2. Its lifetimes are judged apart. */
export const hydraClientFields: FieldTable = {
  ...Object.fromEntries(sameFields.map((name) => [name, 'kept' as const])),
  ...kept('a text', 'client_id', 'client_secret', 'client_name', 'scope', 'token_endpoint_auth_method'),
  ...kept('a text', 'subject_type'),
  ...kept(
    'a list of texts',
    'redirect_uris',
    'grant_types',
    'response_types',
    'audience',
    'allowed_cors_origins',
  ),
  ...kept('true or false', 'skip_consent'),
  ...kept('a number', 'client_secret_expires_at'),
  id: 'unneeded',
  updated_at: 'unneeded',
  owner: { means: 'clients have no owner here.' },
  metadata: { means: 'the notes of others about a client do not come along.' },
  sector_identifier_uri: { holds: 'its users had pairwise subjects: here their `sub` is another.' },
  jwks: { means: 'a client authenticates with a secret here.' },
  jwks_uri: { means: 'a client authenticates with a secret here.' },
  token_endpoint_auth_signing_alg: { means: 'a client authenticates with a secret here.' },
  request_uris: { means: 'requests by reference are not taken.' },
  request_object_signing_alg: { holds: 'it had to sign its authorization requests.', unless: ['none'] },
  userinfo_signed_response_alg: { holds: 'the answers of userinfo were signed.', unless: ['none'] },
  frontchannel_logout_uri: frontchannel,
  frontchannel_logout_session_required: frontchannel,
  skip_logout_consent: { means: 'the server decides when it asks before a logout.' },
  access_token_strategy: { means: 'the server decides whether access tokens are JWTs.' },
  registration_access_token: ownAccess,
  registration_client_uri: ownAccess,
}
