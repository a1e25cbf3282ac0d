import { hash } from 'node:crypto'
import { type System, startSystem } from '@gatehouse/local/system'
import { Client } from 'pg'

// A whole system with the profile openid, as the conformance suite's rig wants it: the rig says in variables where it is to listen.

const { OIDF_OP_PORT, OIDF_OP_URL } = process.env
const { GATEHOUSE_DATA_DIR, NODE_EXTRA_CA_CERTS, PATH, HOME } = process.env

/** The first user of the system, an owner. */
export const user = { username: 'ada', password: 'a password for the suite' }

/** Starts the system. SIGTERM stops it and ends the process. */
export async function startSuiteSystem(): Promise<System> {
  const system = await startSystem({
    env: {
      PATH,
      HOME,
      NODE_EXTRA_CA_CERTS,
      GATEHOUSE_DATA_DIR,
      OAUTH2_PROFILE: 'openid',
      OAUTH2_SERVER_HOST: '127.0.0.1',
      OAUTH2_SERVER_PORT: OIDF_OP_PORT,
      OAUTH2_SERVER_PUBLIC_BASE_URL: OIDF_OP_URL,
      OAUTH2_SERVER_TRUST_PROXY_HEADERS: '127.0.0.1',
      OAUTH2_RATE_LIMIT_ENABLED: 'false',
      // The suite listens on this machine.
      OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8 ::1/128',
      OAUTH2_SEED_USERNAME: user.username,
      OAUTH2_SEED_PASSWORD: user.password,
    },
    log: () => undefined,
    durable: false,
    startTimeout: 100_000,
  })
  process.on('SIGTERM', async () => {
    await system.stop()
    process.exit(0)
  })
  return system
}

/** A client to add. Its id is also its name. */
type AddedClient = {
  id: string
  redirectUris: readonly (string | undefined)[]
  grants: readonly string[]
  scope: string
  method?: string
  metadata?: Record<string, unknown>
}

/** The secret of an added client, which follows from its id. */
export function secretOf(id: string): string {
  return `a-secret-of-${id}-that-is-longer-than-32`
}

/** Adds a client of an administrator to the database. */
export async function addClient(
  database: Client,
  { id, redirectUris, grants, scope, method = 'client_secret_basic', metadata = {} }: AddedClient,
): Promise<void> {
  await database.query(
    `insert into clients.clients
      (client_id, client_name, redirect_uris, grant_types, scope, token_endpoint_auth_method, metadata, created_by)
     values ($1, $1, $2, $3, $4, $5, $6, 'administrator')`,
    [id, redirectUris, grants, scope, method, metadata],
  )
  await database.query('insert into clients.client_secrets (client_id, secret_digest) values ($1, $2)', [
    id,
    hash('sha256', secretOf(id), 'buffer'),
  ])
}

/** Opens the database of a system. */
export async function openDatabase({ databaseUrl }: System): Promise<Client> {
  const database = new Client(databaseUrl)
  await database.connect()
  return database
}
