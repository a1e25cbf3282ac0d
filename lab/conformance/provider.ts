import { addClient, openDatabase, startSuiteSystem } from './suite-system.ts'

// The OpenID provider that the conformance suite judges, with one user and the clients of plan.json. The suite's rig starts it and says
// in variables where the clients are. The clients are written into the database, because the plan names their ids and secrets before
// the provider runs.

const { OIDF_CALLBACK, OIDF_SUITE, OIDF_ALIAS } = process.env
const atSuite = `${OIDF_SUITE}/test/a/${OIDF_ALIAS}`

const database = await openDatabase(await startSuiteSystem())
await addWebClient('web-1')
await addWebClient('web-2')
await addWebClient('web-post', { method: 'client_secret_post' })
await addWebClient('web-back', {
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

/** Adds a client that may redirect to the suite. The suite sends no code challenge. */
function addWebClient(id: string, { method = 'client_secret_basic', metadata = {} } = {}): Promise<void> {
  return addClient(database, {
    ...{ id, method, redirectUris: [OIDF_CALLBACK], scope: 'openid profile email offline_access' },
    grants: ['authorization_code', 'refresh_token'],
    metadata: {
      require_pkce: false,
      require_nonce: false,
      post_logout_redirect_uris: [`${atSuite}/post_logout_redirect`],
      ...metadata,
    },
  })
}
