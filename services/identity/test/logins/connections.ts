import { randomUUID } from 'node:crypto'
import type { MemberRole } from '@gatehouse/proto/organizations'
import type { ConnectionLogin, EndingConnectionLogins } from '../../src/logins/connection-login.ts'
import { beginMemberSession } from '../../src/logins/member-session.ts'
import { beginSession, getSession } from '../../src/logins/session.ts'
import { createEndConnectionLogins } from '../../src/store/connection-ends.ts'
import { addOrganization } from '../organizations/organizations.ts'
import type { useReplicas } from '../store/replica.ts'

type Shared = ReturnType<typeof useReplicas>
type User = Awaited<ReturnType<Shared['addUser']>>

/** A connection as the tests need it. */
export type TestConnection = { connectionId: string; organizationId: string | undefined }

/** What tests about connections do, over the replicas of a file. */
export function connectionsOver(shared: Shared) {
  const { query } = shared
  const issuer = 'https://login.example'

  /** Adds a connection of an organization, or of the instance. */
  async function addConnection(organizationId?: string): Promise<TestConnection> {
    const connectionId = `con_${randomUUID()}`
    await query(
      `insert into identity.connections (connection_id, organization_id, kind, name, client_id, client_authentication, scope, new_users)
      values ($1, $2, 'oidc', 'Login', 'gatehouse', 'client_secret', 'openid', 'never')`,
      [connectionId, organizationId ?? null],
    )
    return { connectionId, organizationId }
  }

  /** Links a user, whose subject is their id. */
  const link = ({ connectionId }: TestConnection, { id }: { id: string }, of = issuer) =>
    query(
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name) values ($1, $2, $3, $4, 'Ann')`,
      [connectionId, of, id, id],
    )

  const loginOf = (
    connection: TestConnection,
    user: { id: string },
    changes: Partial<ConnectionLogin> = {},
  ): ConnectionLogin => ({
    ...connection,
    ...{ issuer, subject: user.id, upstreamSession: undefined, methods: ['pwd'], revision: 1n },
    authenticatedAt: undefined,
    ...changes,
  })
  const browser = { userAgent: 'A browser', ipAddress: '192.0.2.7' }

  return {
    addConnection,
    link,
    loginOf,

    /** An organization with a linked member and a connection. */
    async addMember(role: MemberRole = 'member') {
      const user = await shared.addUser()
      const organization = await addOrganization(shared.replica(), { [user.id]: role })
      const connection = await addConnection(organization.organizationId)
      await link(connection, user)
      return { user, organizationId: organization.organizationId, connection }
    },

    /** Logs a user in by a connection of an organization. */
    logInByMember(
      connection: TestConnection,
      user: { id: string },
      { previousSecret, ...changes }: Partial<ConnectionLogin> & { previousSecret?: string } = {},
    ) {
      const connectionLogin = loginOf(connection, user, changes)
      const { login, sessions } = shared.replica()
      const beginning = { connectionLogin, ...browser, previousSecret }
      return beginMemberSession(user, beginning, { ...login, sessions })
    },

    /** Logs a user in by a connection of the instance. */
    logInByInstance(
      connection: TestConnection,
      { id, username }: User,
      { previousSecret, ...changes }: Partial<ConnectionLogin> & { previousSecret?: string } = {},
    ) {
      const connectionLogin = loginOf(connection, { id }, changes)
      const how = { passwordHash: undefined, methods: [], loginMethod: connection.connectionId, clientId: '' }
      return beginSession(
        { id, username, adminRole: null },
        { ...how, connectionLogin, ...browser, previousSecret },
        shared.replica().login,
      )
    },

    /** The session of a secret, of either kind. */
    findAny: (secret: string) => getSession(secret, shared.replica().sessions, undefined, true),
    /** The session of a secret, if it has a login by a way of the instance. */
    find: (secret: string) => getSession(secret, shared.replica().sessions),

    /** Ends logins, as whoever disables a connection, unlinks somebody or hears of a logout does. */
    async endLogins(which: EndingConnectionLogins, replica = shared.another()) {
      const end = createEndConnectionLogins(true)
      const ids = await replica.database.prisma.$transaction((transaction) => end(transaction, which))
      await replica.deliver(...ids)
      return replica.revoked.map(({ kind, target }) => `${kind} ${target}`)
    },
  }
}

/** What a login must give. @throws if it gives nothing */
export function existing<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('there is nothing')
  return value
}
