import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { hasKeys } from '@gatehouse/proto/client-authentication'
import type { ClientMetadata, KeySet } from '@gatehouse/proto/client-columns'
import { isDocumentClientId } from '@gatehouse/proto/client-id-documents'
import type { Client } from '../clients/client.ts'
import { checkField, type FieldRules } from '../clients/client-field.ts'
import { type ClientListStore, getClient, unknownClient } from '../clients/client-list.ts'
import { jwkOfPem, keyTypeOf, type StoredKey, verifyingKeys } from '../clients/key-set.ts'
import { refuseUnfitKeys } from '../clients/metadata-rules.ts'
import { refuseUnnamedCertificate } from '../clients/named-certificate.ts'
import { type ChangedClient, type ClientChangeDeps, deliverChange } from './client-change.ts'

/** A public key of a client as administrators see it. */
export type ClientKey = {
  /** SHA-256 (RFC 7638). */
  thumbprint: Buffer
  kid?: string | undefined
  /** undefined for a key at the client's jwks_uri, of which only the use is known. */
  kty?: string | undefined
  algorithms: string[]
  lastUsedAt?: Date | undefined
}

/** When keys of a client were last used. */
export type KeyUse = { thumbprint: Buffer; lastUsedAt: Date }

/** The change of a client's keys, and what the audit log says of it. */
export type KeyChange = {
  metadata: ClientMetadata
  action: 'client.key.add' | 'client.key.remove'
  /** The key. */
  about: Readonly<Record<string, unknown>>
}

/** Stores the keys of clients. */
export type ClientKeyStore = {
  /** The last uses of the keys of a client, the latest first. */
  usesOf(clientId: string): Promise<KeyUse[]>
  /**
   * Changes the keys of a client while it is locked, as ClientChangeStore.change does.
   * @param decide when it throws, nothing changes
   * @returns undefined for an unknown client
   */
  change(
    clientId: string,
    decide: (client: Client) => KeyChange,
    actor: Actor,
  ): Promise<ChangedClient | undefined>
}

/** The needs of changing the keys of clients. */
export type ClientKeyDeps = {
  list: Pick<ClientListStore, 'get'>
  keys: ClientKeyStore
  deliver: ClientChangeDeps['deliver']
  rules: FieldRules
}

/** A key that an administrator adds. */
export type KeyToAdd = {
  clientId: string
  /** A JSON Web Key, or a public key or certificate in PEM. */
  key: { $case: 'jwk'; value: object | undefined } | { $case: 'pem'; value: string } | undefined
  /** By default that of the JSON Web Key. */
  kid?: string | undefined
}

/**
 * The keys of a client: those of its metadata, or those at its jwks_uri with which it authenticated lately.
 * @throws Refusal not_found
 */
export async function listClientKeys(
  clientId: string,
  { list, keys }: Pick<ClientKeyDeps, 'list' | 'keys'>,
): Promise<ClientKey[]> {
  const { metadata } = await getClient(clientId, list)
  const uses = await keys.usesOf(clientId)
  if (metadata.jwks_uri !== undefined) return uses.map((use) => ({ ...use, algorithms: [] }))
  const usedAt = new Map(uses.map((use) => [use.thumbprint.toString('hex'), use.lastUsedAt]))
  return verifyingKeys(metadata.jwks).map((stored) => ({
    ...shown(stored),
    lastUsedAt: usedAt.get(stored.key.thumbprint.toString('hex')),
  }))
}

/**
 * Adds a public key to those of a client. The others stay.
 * @throws Refusal not_found; invalid_request
 */
export async function addClientKey(
  { clientId, key: sent, kid }: KeyToAdd,
  actor: Actor,
  { keys, deliver, rules }: ClientKeyDeps,
): Promise<ClientKey> {
  if (sent === undefined) throw new Refusal('invalid_request', 'The key is missing.')
  const jwk = { ...(sent.$case === 'pem' ? jwkOfPem(sent.value) : sent.value), ...(kid && { kid }) }
  const [added] = verifyingKeys(checkedKeys({ keys: [jwk] }, rules, 'The key'))
  if (added === undefined) throw new Refusal('invalid_request', 'The key is for another use than signatures.')
  const decide = (client: Client): KeyChange => {
    const { metadata } = client
    refuseKeysElsewhere(client)
    const has = verifyingKeys(metadata.jwks)
    if (has.some(({ key }) => key.thumbprint.equals(added.key.thumbprint)))
      throw new Refusal('invalid_request', 'The client has this key already.')
    if (added.key.kid !== undefined && has.some(({ key }) => key.kid === added.key.kid))
      throw new Refusal('invalid_request', 'Another key of the client has this kid: choose another one.')
    const jwks = checkedKeys({ keys: [...(metadata.jwks?.keys ?? []), added.jwk] }, rules, 'jwks')
    refuseUnfitKeys(documentOf(client, { keys: [added.jwk] }))
    return { metadata: { ...metadata, jwks }, action: 'client.key.add', about: named(added) }
  }
  const changed = await keys.change(clientId, decide, actor)
  if (changed === undefined) throw unknownClient()
  await deliverChange(changed, deliver)
  return shown(added)
}

/**
 * Removes a public key of a client. It no longer counts once this is answered.
 * @param thumbprint in base64url
 * @throws Refusal not_found for an unknown client or key; invalid_request for the last key that it can sign with
 */
export async function removeClientKey(
  { clientId, thumbprint }: { clientId: string; thumbprint: string },
  actor: Actor,
  { keys, deliver }: Pick<ClientKeyDeps, 'keys' | 'deliver'>,
): Promise<void> {
  const decide = (client: Client): KeyChange => {
    const { metadata } = client
    refuseKeysElsewhere(client)
    const has = verifyingKeys(metadata.jwks)
    const removed = has.filter(({ key }) => key.thumbprint.toString('base64url') === thumbprint)
    const [first] = removed
    if (first === undefined) throw new Refusal('not_found', 'The client has no key with this thumbprint.')
    const left = (metadata.jwks?.keys ?? []).filter((jwk) => removed.every((one) => one.jwk !== jwk))
    const after = { ...metadata, jwks: { keys: left } }
    if (hasKeys(client.tokenEndpointAuthMethod) && removed.length === has.length)
      throw new Refusal(
        'invalid_request',
        'This is the last key of the client: add another one before you remove it, or disable the client.',
      )
    const document = documentOf(client, after.jwks)
    refuseUnfitKeys(document)
    refuseUnnamedCertificate(document)
    return { metadata: after, action: 'client.key.remove', about: named(first) }
  }
  const changed = await keys.change(clientId, decide, actor)
  if (changed === undefined) throw unknownClient()
  await deliverChange(changed, deliver)
}

/** @throws Refusal invalid_request */
function checkedKeys(set: { keys: object[] }, rules: FieldRules, what: 'The key' | 'jwks'): KeySet {
  try {
    return checkField('jwks', set as KeySet, rules)
  } catch (error) {
    if (!(error instanceof Refusal) || what === 'jwks') throw error
    throw new Refusal(
      'invalid_request',
      error.description.replace(/^jwks is invalid: (the kid of )?key 1/, (_, of) =>
        of ? 'The kid of the key' : what,
      ),
    )
  }
}

/** @throws Refusal invalid_request for a client whose keys are not in its metadata, or not for administrators to change */
function refuseKeysElsewhere({ clientId, metadata, tokenEndpointAuthMethod }: Client): void {
  if (isDocumentClientId(clientId))
    throw new Refusal(
      'invalid_request',
      'The metadata document at its client_id describes the keys of this client.',
    )
  if (metadata.jwks_uri !== undefined)
    throw new Refusal('invalid_request', 'This client publishes its keys at its jwks_uri: change them there.')
  if (!hasKeys(tokenEndpointAuthMethod) && metadata.jwks === undefined)
    throw new Refusal(
      'invalid_request',
      `This client does not authenticate with a key: its token_endpoint_auth_method is ${tokenEndpointAuthMethod}.`,
    )
}

function documentOf({ tokenEndpointAuthMethod, metadata }: Client, jwks: KeySet) {
  return { ...metadata, jwks, token_endpoint_auth_method: tokenEndpointAuthMethod }
}

function shown({ key }: StoredKey): ClientKey {
  const { thumbprint, kid, algorithms } = key
  return { thumbprint, kid, kty: keyTypeOf(key), algorithms: [...algorithms] }
}

function named({ key }: StoredKey) {
  return { thumbprint: key.thumbprint.toString('base64url'), kid: key.kid, kty: keyTypeOf(key) }
}
