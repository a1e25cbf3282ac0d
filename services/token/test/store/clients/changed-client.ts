import { beforeEach } from 'vitest'
import type { Client } from '../../../src/clients/client-authentication.ts'
import { issueTokens } from '../../../src/grants/table.ts'
import { findAmong, presenting, usersClient } from '../../clients/clients.ts'
import { useDatabase } from '../database.ts'
import { startReplica } from '../replica.ts'

/** Every grant that a client can have. */
export const everyGrant = new Set(['authorization_code', 'client_credentials', 'refresh_token', 'password'])

/** Gives each test of a file a client that changes, and a replica that does not hear of it unless it asks. */
export function useChangedClient() {
  const shared = useDatabase()
  const begin = () => {
    const clientId = 'client_a'
    const registered = usersClient({ clientId, grantTypes: everyGrant, scope: 'read write admin' })
    const replica = startReplica(shared.database, {
      findClient: (id) => findAmong([there.cached])(id),
      refreshClient: async () => {
        there.asked += 1
        const before = there.cached
        there.cached = there.registered
        return there.cached !== before
      },
    })
    return { registered, cached: registered, asked: 0, replica }
  }
  const there = {
    shared,
    /** The client as the client registry has it. */
    registered: {} as Client,
    /** The client as the replica has it. */
    cached: {} as Client,
    /** How often the replica has asked the client registry. */
    asked: 0,
    replica: {} as ReturnType<typeof startReplica>,
    /** An administrator changes the client: every replica is told by the store, and no cache. */
    async change(changes: Partial<Client>): Promise<void> {
      const { registered } = there
      there.registered = { ...registered, ...changes, revision: registered.revision + 1n }
      await there.replica.clientChanges.apply(there.registered)
    },
    /** The client asks for a token for itself. */
    issue: (scope = '', presented = presenting()) =>
      issueTokens(
        {
          grantType: 'client_credentials',
          parameters: { scope },
          resources: [],
          presented,
          ipAddress: '',
        },
        there.replica,
      ),
  }
  beforeEach(async () => {
    await shared.query('delete from token.client_changes')
    await shared.query(`delete from token.revocations where kind = 'client'`)
    Object.assign(there, begin())
  })
  return there
}
