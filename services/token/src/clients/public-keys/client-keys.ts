import { type PublicKey, readKeySet } from '@gatehouse/kit/keys/public-key'
import type { ClientMetadata } from '@gatehouse/proto/client-columns'
import { clientFields } from '@gatehouse/proto/client-metadata'
import type { FetchedKeys } from './fetched-keys.ts'

/** A client, as far as its keys are concerned. Each revision of it is an object of its own. */
export type KeyOwner = { readonly clientId: string; readonly metadata: ClientMetadata }

/** The public keys of clients. */
export type ClientKeys = {
  /**
   * The keys of a client; undefined when they are at its `jwks_uri` and cannot be read.
   * @param mayWait whether the request may wait for somebody else's server
   * @throws KeysNeeded when it would have to and may not; Refusal temporarily_unavailable when too many requests wait
   */
  of(client: KeyOwner, mayWait: boolean): Promise<readonly PublicKey[] | undefined>
  /**
   * The keys once more where none of them made a signature: those at a `jwks_uri` may be newer by now.
   * @returns undefined when they were read so short a time ago that nobody is asked, and for keys that the client registered itself
   * @throws as `of`
   */
  newerOf(client: KeyOwner, mayWait: boolean): Promise<readonly PublicKey[] | undefined>
}

/** Creates the access to the keys of clients. @param fetched those at addresses */
export function createClientKeys(fetched: FetchedKeys): ClientKeys {
  // With a client that was changed goes its entry, and with it every key that it had.
  const registered = new WeakMap<KeyOwner, readonly PublicKey[]>()

  function registeredBy(client: KeyOwner): readonly PublicKey[] {
    const known = registered.get(client)
    if (known) return known
    const read = readKeySet(client.metadata.jwks, clientFields.jwks.maxItems)
    const keys = 'keys' in read ? read.keys : []
    registered.set(client, keys)
    return keys
  }

  return {
    async of(client, mayWait) {
      const { jwks_uri: uri } = client.metadata
      return uri === undefined ? registeredBy(client) : fetched.find(client.clientId, uri, mayWait)
    },
    async newerOf(client, mayWait) {
      const { jwks_uri: uri } = client.metadata
      return uri === undefined ? undefined : fetched.newer(client.clientId, uri, mayWait)
    },
  }
}
