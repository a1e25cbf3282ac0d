import type { Emit } from '@gatehouse/kit/events/emission'
import { authorityScopes } from '@gatehouse/proto/claims'
import { hasSecret } from '@gatehouse/proto/client-authentication'
import type { SentColumns } from '@gatehouse/proto/client-columns'
import { clientFields } from '@gatehouse/proto/client-metadata'
import type { Client, ClientStore, NewClient } from '../clients/client.ts'
import { type FieldRules, openScopes } from '../clients/client-field.ts'
import { createClientSecret, type RandomBytes, secretDigestOf } from '../clients/client-secret.ts'
import {
  decideMetadata,
  type MetadataWriter,
  metadataWriters,
  type ServerRules,
} from '../clients/metadata-rules.ts'
import { substituted, withRegistrationErrors } from './registration-substitution.ts'

/** The needs of creating a client. */
export type NewClientDeps = ServerRules & {
  /** The scopes that the server supports. */
  scopesSupported: ReadonlySet<string>
  randomUuid(): string
  randomBytes: RandomBytes
}

/** The needs of registration. */
export type RegistrationDeps = NewClientDeps & {
  store: Pick<ClientStore, 'add'>
  /** Whether RFC 7591 and RFC 7592 hold in full: what is not supported is replaced, and the client manages itself. */
  full: boolean
  /** Whether anybody may register a client. */
  open: boolean
  /** The grants that are on. */
  grantTypes: readonly string[]
  /** The scopes of resource servers that a client may register for itself; none when resource indicators are off. */
  openResourceScopes(): Promise<string[]>
  emit: Emit
}

/** A client that registered itself. */
export type RegisteredClient = {
  client: Client
  /** Not stored, so it cannot be shown again. A public client has none. */
  clientSecret: string | undefined
  /** With it the client manages its registration (RFC 7592); not stored. Undefined where it cannot. */
  registrationAccessToken: string | undefined
}

/** A client that is not stored yet, with its secret; a public client has none. */
export type MadeClient = {
  client: NewClient
  clientSecret: string | undefined
  secretDigest: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Registers a client (RFC 7591). Anybody may do that, so the client never gets the scope `admin`, whatever the server supports.
 * @throws Refusal invalid_request, which names the field, or invalid_scope; where RFC 7591 holds in full, invalid_redirect_uri or
 *   invalid_client_metadata
 */
export async function registerClient(
  request: SentColumns,
  deps: RegistrationDeps,
): Promise<RegisteredClient> {
  const { scopes, scopeOfNone } = await registrableScopes(deps)
  const make = (sent: SentColumns) =>
    newClient('stranger', { ...sent, scope: sent.scope || scopeOfNone }, { ...deps, scopes })
  const { client, clientSecret, secretDigest } = deps.full
    ? withRegistrationErrors(() => make(substituted(request, { ...deps, scopes })))
    : make(request)
  const registrationAccessToken = deps.full ? createClientSecret(deps.randomBytes) : undefined
  const tokenDigest = registrationAccessToken && secretDigestOf(registrationAccessToken)
  // Callers with OAUTH2_REGISTRATION_TOKEN are no strangers.
  const added = await deps.store.add(client, secretDigest, tokenDigest || undefined, !deps.open)
  deps.emit('client_registered', { clientId: added.clientId, metadata: { client_name: added.clientName } })
  return { client: added, clientSecret, registrationAccessToken }
}

/** The id and the secret that a client from another system keeps. */
export type KeptCredentials = { clientId?: string | undefined; clientSecret?: string | undefined }

/**
 * Creates a client from its metadata, with defaults for what is absent, without storing it.
 * @param kept the id and the secret, instead of new ones
 * @throws Refusal invalid_request, which names the field, or invalid_scope
 */
export function newClient(
  writer: Exclude<MetadataWriter, 'client' | 'document'>,
  sent: SentColumns,
  deps: NewClientDeps & Pick<FieldRules, 'scopes'>,
  kept: KeptCredentials = {},
): MadeClient {
  const clientId = kept.clientId ?? `client_${deps.randomUuid()}`
  const defaults = { client_name: clientId, scope: defaultScope(deps.scopesSupported) }
  const metadata = decideMetadata({ writer, sent, defaults }, deps)
  const secret = () => kept.clientSecret ?? createClientSecret(deps.randomBytes)
  const clientSecret = hasSecret(metadata.tokenEndpointAuthMethod) ? secret() : undefined
  return {
    client: { clientId, ...metadata, createdBy: metadataWriters[writer] },
    clientSecret,
    secretDigest: clientSecret === undefined ? undefined : secretDigestOf(clientSecret),
  }
}

/**
 * The scopes that a client may register for itself, and the scope of a client that names none. Where RFC 7591 holds in full,
 * that is all of them but those of groups, roles and organizations: the user is asked about each. Otherwise it is the default scope and those of
 * resource servers.
 */
export async function registrableScopes(
  deps: Pick<RegistrationDeps, 'scopesSupported' | 'openResourceScopes' | 'full'>,
): Promise<{ scopes: ReadonlySet<string>; scopeOfNone: string }> {
  const ofResources = await deps.openResourceScopes()
  const scopes = openScopes(new Set([...deps.scopesSupported, ...ofResources]))
  const scope = defaultScope(deps.scopesSupported)
  const isOfAuthority = (word: string) => authorityScopes.some((one) => one === word)
  const own = deps.full
    ? [...openScopes(deps.scopesSupported)].filter((word) => !isOfAuthority(word))
    : [scope]
  const wanted = [...new Set([...own, ...ofResources])].join(' ')
  return { scopes, scopeOfNone: wanted.length <= clientFields.scope.maxLength ? wanted : scope }
}

/** `read`, or the first supported scope when the server does not support `read`. */
function defaultScope(supported: ReadonlySet<string>): string {
  const [first = ''] = openScopes(supported)
  return supported.has('read') ? 'read' : first
}
