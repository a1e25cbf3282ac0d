import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { authorityOfRoles } from '@gatehouse/proto/authority'
import { RevocationKind, type RevokeManyRequest, TokenServiceService } from '@gatehouse/proto/token/v1'
import type { AuthorityChangeStore } from '../authority/authority-change.ts'
import type { ClientChangeStore } from '../clients/client-change.ts'
import type { ConnectionEnd } from '../openid/connection-end.ts'
import { endSession, type SessionEndDeps } from '../openid/session-end.ts'
import type { Revocation, RevocationStore } from '../tokens/access-token-store.ts'

/** The needs of the RPCs of the other services' changes. */
export type ChangeRpcDeps = {
  sessionEnd: SessionEndDeps
  /** Ends what was granted after logins by a connection. */
  endConnection(end: ConnectionEnd): Promise<void>
  revocations: RevocationStore
  clientChanges: ClientChangeStore
  authorityChanges: AuthorityChangeStore
  /** Deletes what is remembered of deleted clients. */
  forgetClients(clientIds: readonly string[]): Promise<void>
  /** Makes the cache look the client up before it is used again. */
  forgetClient(clientId: string): void
  /** Makes the memory read the resource servers again, without waiting for that. */
  rereadResourceServers(): void
}

/** The RPCs by which other services say what tokens must feel: revocations and changed clients. */
export function changeRpcs(deps: ChangeRpcDeps) {
  return handlersOf(TokenServiceService, {
    async revokeMany(request) {
      if (request.kind === RevocationKind.REVOCATION_KIND_SESSION) {
        await endSession(request.id, deps.sessionEnd)
        return {}
      }
      if (request.kind === RevocationKind.REVOCATION_KIND_CONNECTION) {
        const { id, issuedBefore } = request
        await deps.endConnection({ id, issuedBefore })
        return {}
      }
      const revocation = toRevocation(request)
      // Without a time, the client was deleted. Its changes end first, so that no token is issued that is already revoked.
      if (revocation.kind === 'client' && revocation.issuedBefore === undefined) {
        await deps.clientChanges.end(revocation.id)
        deps.forgetClient(revocation.id)
      }
      await deps.revocations.add(revocation)
      if (revocation.kind === 'resource') deps.rereadResourceServers()
      return {}
    },

    async forgetClients({ clientIds }) {
      if (clientIds.includes('')) throw new Refusal('invalid_request', 'A client_id is missing.')
      for (const id of clientIds) await deps.revocations.add({ kind: 'client', id, issuedBefore: 'now' })
      await deps.forgetClients(clientIds)
      return {}
    },

    async applyClientChange({ grantTypes, ...change }) {
      if (change.clientId === '') throw new Refusal('invalid_request', 'client_id is missing.')
      await deps.clientChanges.apply({ ...change, grantTypes })
      deps.forgetClient(change.clientId)
      return {}
    },

    async applyAuthorityChange({ key, revision }) {
      if (key === '' || revision === 0n)
        throw new Refusal('invalid_request', 'The key and the revision of the change are required.')
      await deps.authorityChanges.apply({ key, revision })
      // Until the roles are read again, tokens by the old ones are inactive as soon as they are issued.
      if (key.startsWith(authorityOfRoles(''))) deps.rereadResourceServers()
      return {}
    },
  })
}

const kinds: Partial<Record<RevocationKind, Revocation['kind']>> = {
  [RevocationKind.REVOCATION_KIND_GRANT]: 'grant',
  [RevocationKind.REVOCATION_KIND_CLIENT]: 'client',
  [RevocationKind.REVOCATION_KIND_USER]: 'user',
  [RevocationKind.REVOCATION_KIND_CONSENT]: 'consent',
  [RevocationKind.REVOCATION_KIND_RESOURCE]: 'resource',
  [RevocationKind.REVOCATION_KIND_OWN]: 'own',
  [RevocationKind.REVOCATION_KIND_ORGANIZATION]: 'organization',
  [RevocationKind.REVOCATION_KIND_MEMBERSHIP]: 'membership',
}

function toRevocation({ kind, id, issuedBefore }: RevokeManyRequest): Revocation {
  const name = kinds[kind]
  if (name === undefined || id === '')
    throw new Refusal('invalid_request', 'The kind and the id of the revocation are required.')
  return { kind: name, id, issuedBefore }
}
