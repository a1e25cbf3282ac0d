import { loadConfig } from '@gatehouse/kit/config/load-config'
import { expect, test } from 'vitest'
import { gatewayConfig } from '../src/config.ts'
import { settingsOf } from '../src/settings.ts'
import { gateway } from '../testing/gateway.ts'

/** The variables that have no default. */
const needed = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: 'https://auth.example.net',
  OAUTH2_SESSION_KEY: 'a session key that is long enough',
  OAUTH2_TOKEN_ADDR: 'token:50051',
  OAUTH2_CLIENT_REGISTRY_ADDR: 'client-registry:50051',
  OAUTH2_IDENTITY_ADDR: 'identity:50051',
  OAUTH2_EVENTS_ADDR: 'events:50051',
}

/** The scopes and claims that discovery lists. */
async function listed(variables: Record<string, string>) {
  const { scopesSupported, organizations } = settingsOf(
    loadConfig(gatewayConfig, { ...needed, ...variables }),
  )
  const { send } = await gateway({ scopesSupported, organizations, openid: true })
  const document = JSON.parse((await send('GET', '/.well-known/openid-configuration')).text)
  return [...document.scopes_supported, '|', ...document.claims_supported].filter((name) =>
    ['openid', 'groups', 'roles', 'organization', 'org_id', 'org_name', 'org_slug', '|'].includes(name),
  )
}

test.each(['openid', 'mcp'])(
  'in the profile %s discovery lists the scopes and claims of groups, roles and organizations',
  async (profile) => {
    expect(await listed({ OAUTH2_PROFILE: profile })).toEqual([
      ...['openid', 'groups', 'roles', 'organization', '|'],
      ...['org_id', 'groups', 'roles', 'org_name', 'org_slug'],
    ])
  },
)

test('each of them is listed once, also where it stands among the supported scopes', async () => {
  expect(await listed({ OAUTH2_PROFILE: 'openid', OAUTH2_SCOPES_SUPPORTED: 'roles openid' })).toEqual([
    ...['roles', 'openid', 'groups', 'organization', '|'],
    ...['org_id', 'groups', 'roles', 'org_name', 'org_slug'],
  ])
})

test('none is listed in the profile interface, nor where OAUTH2_ORGANIZATIONS_ENABLED is off', async () => {
  expect(await listed({ OAUTH2_PROFILE: 'interface' })).toEqual(['|'])
  expect(await listed({ OAUTH2_PROFILE: 'openid', OAUTH2_ORGANIZATIONS_ENABLED: 'false' })).toEqual([
    'openid',
    '|',
  ])
})
