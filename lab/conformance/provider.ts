import { hash } from 'node:crypto'
import { startSystem } from '@gatehouse/local/system'
import { Client } from 'pg'

// The OpenID provider that the conformance suite judges: a whole system with the profile openid, one user, and the clients of
// plan.json. The suite's rig starts it and says in variables where it is and where the clients are. The clients are
// written into the database, because the plan names their ids and secrets before the provider runs.

const { OIDF_OP_PORT, OIDF_OP_URL, OIDF_CALLBACK, OIDF_SUITE, OIDF_ALIAS } = process.env
const { GATEHOUSE_DATA_DIR, NODE_EXTRA_CA_CERTS, PATH, HOME } = process.env
const user = { username: 'ada', password: 'a password for the suite' }
const atSuite = `${OIDF_SUITE}/test/a/${OIDF_ALIAS}`

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

const database = new Client(system.databaseUrl)
await database.connect()
await addClient('web-1')
await addClient('web-2')
await addClient('web-post', { method: 'client_secret_post' })
await addClient('web-back', {
  metadata: {
    backchannel_logout_uri: `${atSuite}/backchannel_logout`,
    backchannel_logout_session_required: true,
  },
})
await database.query('update identity.users set attributes = $1, attributes_updated_at = now()', [
  {
    name: 'Ada Example',
    given_name: 'Ada',
    family_name: 'Example',
    email: 'ada@example.com',
    email_verified: true,
    picture: 'https://example.com/ada.png',
    locale: 'en',
    zoneinfo: 'Europe/London',
  },
])
await database.end()

process.on('SIGTERM', async () => {
  await system.stop()
  process.exit(0)
})

/** Adds a client of an administrator, whose secret follows from its id. The suite sends no code challenge. */
async function addClient(id: string, { method = 'client_secret_basic', metadata = {} } = {}): Promise<void> {
  const document = {
    require_pkce: false,
    require_nonce: false,
    post_logout_redirect_uris: [`${atSuite}/post_logout_redirect`],
    ...metadata,
  }
  const grants = ['authorization_code', 'refresh_token']
  await database.query(
    `insert into clients.clients
      (client_id, client_name, redirect_uris, grant_types, scope, token_endpoint_auth_method, metadata, created_by)
     values ($1, $1, $2, $3, 'openid profile email offline_access', $4, $5, 'administrator')`,
    [id, [OIDF_CALLBACK], grants, method, document],
  )
  await database.query('insert into clients.client_secrets (client_id, secret_digest) values ($1, $2)', [
    id,
    hash('sha256', `a-secret-of-${id}-that-is-longer-than-32`, 'buffer'),
  ])
}
