import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { createCode } from '../../src/authorization/authorization-code.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import type { ResourceServer } from '../../src/clients/resource-servers.ts'
import { createAuthorityChangeStore } from '../../src/store/authority/authority-changes.ts'
import { createAccessTokenSigner } from '../../src/tokens/access-token.ts'
import { findAmong, someClient, usersClient } from '../clients/clients.ts'
import { filesServer, someServer, startResources, tools } from '../clients/resource-registry.ts'
import { onlyDefault, signingAtOnce } from '../keys/keys.ts'
import type { StoreTest } from '../store/database.ts'
import { authorizationRequest, startReplica } from '../store/replica.ts'
import { startPeople } from './people.ts'

const issuer = 'https://auth.example'

/** The scope of the clients: `use`, `make` and `break` are of the resource server whose scopes roles give. */
export const scope = 'read tools:use tools:make tools:break files:read'

/** The resource server whose scopes roles give. */
export const byRole = (changes: Partial<ResourceServer> = {}) =>
  someServer({
    scopes: new Map(['tools:use', 'tools:make', 'tools:break'].map((word) => [word, word])),
    scopesByRole: true,
    roles: new Map([
      ['user', ['tools:use']],
      ['maker', ['tools:use', 'tools:make']],
    ]),
    revision: 5n,
    ...changes,
  })

/** The roles of a person at the resource server. */
export const withRoles = (...roles: string[]) => ({ roles: { 'tools-id': roles } })

const clients: Client[] = [
  usersClient({ scope }),
  someClient({ clientId: 'client_machine', scope }),
  someClient({
    ...{ clientId: 'client_maker', scope },
    metadata: { roles: [{ resource: tools, role: 'maker' }] } as object,
  }),
]

/** Starts a replica with an identity service of its own, over gRPC, and two resource servers. */
export async function startRoleReplica(shared: StoreTest, ...servers: ResourceServer[]) {
  const registry = await startResources(...(servers.length > 0 ? servers : [byRole(), filesServer()]))
  const people = await startPeople()
  const signer = createAccessTokenSigner(onlyDefault('a secret of at least thirty-two bytes'), {
    ...{ algorithm: 'HS256', issuer, audience: undefined },
  })
  const authority = people.authority(registry.known)
  const replica = startReplica(shared.database, {
    ...{ findClient: findAmong(clients), resourceIndicators: registry.indicators },
    ...{ signer: signingAtOnce(signer), authority },
  })
  const changes = createAuthorityChangeStore(shared.database, 3_600)
  return {
    ...{ replica, registry, people, changes, authority },
    /** Creates a code for a new person who has agreed, with these roles. */
    async authorize(roles: readonly string[], { wanted = '', resources = [tools] as string[] } = {}) {
      const userId = randomUUID()
      people.put(userId, withRoles(...roles))
      const judged = await replica.check({ ...authorizationRequest, scope: wanted, resources })
      const user = { userId, username: 'ann', seenAt: new Date() }
      const deps = { ...replica, openid: undefined, authorizationCodeLifetime: 600 }
      return { userId, code: (await createCode(judged, undefined, user, deps)) ?? '' }
    },
    /** The names of the statements that some work runs. */
    async statementsOf(work: () => Promise<unknown>) {
      const before = shared.statements.length
      await work()
      return shared.statements.slice(before)
    },
    /** The scope of a token by introspection; undefined for one that is not active. */
    scopeOf: async ({ accessToken }: { accessToken: string }) =>
      (await replica.introspect(accessToken))?.scope,
    claimsOf: ({ accessToken }: { accessToken: string }) => decodeJwt(accessToken),
  }
}

/** A replica of these tests. */
export type RoleReplica = Awaited<ReturnType<typeof startRoleReplica>>
