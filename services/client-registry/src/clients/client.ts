import type { ClientColumns } from '@gatehouse/proto/client-columns'
import type { ClientDecider } from '@gatehouse/proto/client-metadata'

/** A client as stored. */
export type Client = Readonly<ClientColumns> & {
  clientId: string
  disabled: boolean
  createdBy: ClientDecider
  /** The party that decided last about the scope. */
  scopeSetBy: ClientDecider
  createdAt: Date
  /** Rises with every change. */
  revision: bigint
}

/** A client that is not stored yet. */
export type NewClient = Omit<Client, 'createdAt' | 'revision' | 'disabled' | 'scopeSetBy'>

/** SHA-256 of a client secret. */
export type SecretDigest = {
  digest: Uint8Array<ArrayBuffer>
  /** undefined when it is valid until replaced. */
  expiresAt: Date | undefined
}

/** A valid secret, without its digest. */
export type SecretRecord = {
  /** By which administrators name it. */
  secretId: string
  createdAt: Date
  /** undefined when it is valid until replaced. */
  expiresAt: Date | undefined
  /** When the client last authenticated with it, to within some minutes. */
  lastUsedAt: Date | undefined
}

/** A client as administrators see it. */
export type ClientRecord = Client & {
  /** Those that are valid, newest first. */
  secrets: readonly SecretRecord[]
  /** The columns of the list of clients without a field here. */
  columns: Readonly<Record<string, unknown>>
}

/** A client with the digests of its secrets. */
export type FoundClient = Client & { secrets: readonly SecretDigest[] }

/** Stores clients. */
export type ClientStore = {
  /**
   * Adds a client with its first secret, if it has one.
   * @param registrationTokenDigest the SHA-256 of the token with which the client manages itself, if it may
   * @param kept whether the client is kept even if nobody uses it
   * @returns the stored client
   */
  add(
    client: NewClient,
    secretDigest: Uint8Array<ArrayBuffer> | undefined,
    registrationTokenDigest?: Uint8Array<ArrayBuffer>,
    kept?: boolean,
  ): Promise<Client>
  /** The existing clients among these ids, each with the digests of its secrets. */
  find(clientIds: readonly string[]): Promise<FoundClient[]>
  /** The number of clients. */
  count(): Promise<number>
  /** The number of clients with a method of authentication that is none of these. */
  countOthers(methods: readonly string[]): Promise<number>
}
