import type { ClientMetadata } from '@gatehouse/proto/client-metadata'

/** A client as it is kept. */
export type Client = {
  clientId: string
  clientName: string
  redirectUris: readonly string[]
  grantTypes: readonly string[]
  /** Space-separated. */
  scope: string
  tokenEndpointAuthMethod: string
  /** Marked by an administrator: users are not asked for consent. */
  firstParty: boolean
  disabled: boolean
  /** The fields of its metadata document that have no place above. */
  metadata: ClientMetadata
  createdAt: Date
  /** Rises with every change. */
  revision: bigint
}

/** A client that is not kept yet. */
export type NewClient = Omit<Client, 'createdAt' | 'revision' | 'disabled' | 'firstParty'>

/** SHA-256 of a client secret. */
export type SecretDigest = {
  digest: Uint8Array<ArrayBuffer>
  /** undefined: valid until it is replaced. */
  expiresAt: Date | undefined
}

/** A client with when each of its secrets ends that are valid now; undefined: when it is replaced. */
export type ClientRecord = Client & { secretEnds: readonly (Date | undefined)[] }

/** Where clients are kept. */
export type ClientStore = {
  /** Adds a client with its first secret, if it has one; the client as it is kept then. */
  add(client: NewClient, secretDigest: Uint8Array<ArrayBuffer> | undefined): Promise<Client>
  /** The clients with these ids, those that exist, each with the digests of its secrets. */
  find(clientIds: readonly string[]): Promise<(Client & { secrets: readonly SecretDigest[] })[]>
  /** How many there are. */
  count(): Promise<number>
}
