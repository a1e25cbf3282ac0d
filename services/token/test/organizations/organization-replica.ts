import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { noAuthority } from '../../src/authority/authority.ts'
import { createCode } from '../../src/authorization/authorization-code.ts'
import type { Client } from '../../src/clients/client-authentication.ts'
import type { SessionGrant } from '../../src/openid/session-grant.ts'
import type { Membership } from '../../src/organizations/organizations.ts'
import { findAmong, someClient, usersClient } from '../clients/clients.ts'
import type { StoreTest } from '../store/database.ts'
import { authorizationRequest, startReplica } from '../store/replica.ts'
import { membership, organizationId, organizationsOf } from './organizations.ts'

export const [acme, globex] = [
  membership(),
  membership({ organizationId: organizationId(2), slug: 'globex', name: 'Globex' }),
] as const

/**
 * Starts a replica over organizations that a test changes. `client_a` knows organizations, `client_off` knows none, and `client_machine` is
 * owned by Acme.
 * @param members the memberships by the ids of users
 */
export function startOrganizationReplica(
  database: StoreTest['database'],
  members: Record<string, readonly Membership[]> = { nobody: [acme, globex] },
) {
  const { organizations, asked } = organizationsOf(members)
  const clients = new Map<string, Client>()
  const put = (client: Client) => void clients.set(client.clientId, client)
  put(usersClient({ createdBy: 'administrator', metadata: { organizations: 'optional' } }))
  put(usersClient({ clientId: 'client_off' }))
  put(someClient({ clientId: 'client_machine', metadata: { organization: acme.organizationId } }))
  put(someClient({ clientId: 'client_plain' }))
  const replica = startReplica(database, {
    findClient: (clientId) => findAmong([...clients.values()])(clientId),
    authority: { ...noAuthority, organizations },
  })
  const revoke = (kind: 'organization' | 'membership' | 'consent', id: string) =>
    replica.revocations.add({ kind, id, issuedBefore: 'now' })

  return {
    ...{ replica, members, asked, organizations, put, revoke },
    /** Changes what a client may do in organizations. */
    setMode: (organizations: 'off' | 'optional' | 'required', clientId = 'client_a') =>
      put(usersClient({ clientId, createdBy: 'administrator', metadata: { organizations } })),
    /** Creates a code for a user who acts in an organization, or in none. */
    async authorize(
      organization: Membership | undefined,
      {
        userId = randomUUID() as string,
        clientId = 'client_a',
        methods = ['pwd'],
        inSession = true,
        seenAt = new Date(),
        ...inIt
      }: {
        userId?: string
        clientId?: string
        methods?: string[]
        inSession?: boolean
        seenAt?: Date
      } & Partial<Omit<SessionGrant, 'methods'>> = {},
    ) {
      if (organization) members[userId] = [...(members[userId] ?? []), organization]
      const session: SessionGrant = {
        ...{ sessionId: randomUUID(), nonce: undefined, authenticatedAt: new Date(), methods },
        ...{ claims: undefined, offline: false, sessionEndsAt: new Date(Date.now() + 3_600_000) },
        ...{ connectionId: undefined, byOrganization: false },
        ...inIt,
      }
      const judged = await replica.check({ ...authorizationRequest, clientId })
      const of = { session: inSession ? session : undefined, organizationId: organization?.organizationId }
      const code = await createCode(
        { ...judged, grant: { ...judged.grant, ...of } },
        undefined,
        { userId, username: 'ann', seenAt },
        { ...replica, openid: undefined, authorizationCodeLifetime: 600 },
      )
      return { userId, code: code ?? '' }
    },
    claimsOf: ({ accessToken }: { accessToken: string }) => decodeJwt(accessToken),
  }
}
