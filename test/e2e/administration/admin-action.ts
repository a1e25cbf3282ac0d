import { credentialsOf } from '@gatehouse/test/oauth'
import type { RegisteredClient } from '@gatehouse/test/system'
import { type AdminWorld, type Credentials, type KnownUser, startAdminWorld } from './admin-world.ts'

/** The effect of an action, which must match its audit entry. */
export type Done = { action: string; target: string; before?: object | undefined; after?: object | undefined }

/** An administrator's action, which checks its effect. */
export type Action = (world: ActionWorld, who: Credentials) => Promise<Done>

/** The world in which administrators act. */
export type ActionWorld = AdminWorld & {
  /** Values that must be in no log. */
  secrets: Set<string>
  newClient(metadata?: object): Promise<RegisteredClient>
  newUser(admin?: boolean): Promise<KnownUser>
  /** The token response for a client; with a user, of the password grant. */
  tokensOf(
    client: RegisteredClient,
    user?: KnownUser,
  ): Promise<{ status: number; access_token: string; refresh_token?: string }>
  /** Whether a client gets a token. */
  serves(client: RegisteredClient): Promise<boolean>
}

/** Starts a system and records every secret that is created in it. */
export async function startActionWorld(): Promise<ActionWorld> {
  const world = await startAdminWorld()
  const secrets = new Set([world.operator.client_secret, world.operatorToken])

  const tokensOf: ActionWorld['tokensOf'] = async (client, user) => {
    const grant = user
      ? { grant_type: 'password', username: user.username, password: user.password }
      : { grant_type: 'client_credentials' }
    const response = await world.system.form('/oauth/token', { ...grant, ...credentialsOf(client) })
    return { status: response.status, ...JSON.parse(await response.text()) }
  }
  return {
    ...world,
    secrets,
    tokensOf,
    serves: async (client) => (await tokensOf(client)).status === 200,
    async newClient(metadata = {}) {
      const client = await world.done<RegisteredClient>('POST', '/admin/api/clients', {
        grant_types: ['client_credentials', 'password', 'refresh_token'],
        scope: 'read write',
        ...metadata,
      })
      secrets.add(client.client_secret)
      return client
    },
    async newUser(admin = false) {
      const user = await world.addUser(admin)
      secrets.add(user.password)
      return user
    },
  }
}
