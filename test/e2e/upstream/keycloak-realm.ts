import type { TestKeycloak } from '@gatehouse/test/servers/keycloak/server'
import type { ProviderUser, RealProvider } from './contract.ts'
import { password } from './provider-pages.ts'
import type { Connection } from './upstream-world.ts'

/** The realm of the tests. */
export const realm = 'acme'
/** Gatehouse as its client. Each of these signs must be written in another way in a header. */
const own = { clientId: 'gatehouse', secret: 'a secret/with+signs=& spaces' }
/** Somebody in the realm. */
export type RealmUser = ProviderUser & { id: string }

/** Makes the realm as docs/people/connections.md says, with the group `dev`. */
export async function makeRealm(keycloak: TestKeycloak): Promise<void> {
  await keycloak.admin('POST', '', {
    ...{ realm, enabled: true, sslRequired: 'none', groups: [{ name: 'dev' }] },
    clients: [
      {
        ...{ ...own, publicClient: false },
        ...{ standardFlowEnabled: true, directAccessGrantsEnabled: false, frontchannelLogout: false },
        redirectUris: ['https://not-known-yet.example/'],
        protocolMappers: [
          {
            ...{ name: 'groups', protocol: 'openid-connect' },
            protocolMapper: 'oidc-group-membership-mapper',
            config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
          },
        ],
      },
    ],
  })
}

/** Changes Gatehouse's client in the realm. */
async function changeClient(keycloak: TestKeycloak, changes: object): Promise<void> {
  const path = `/${realm}/clients`
  const [client] = await keycloak.admin<[{ id: string; attributes: object }]>(
    'GET',
    `${path}?clientId=${own.clientId}`,
  )
  await keycloak.admin('PUT', `${path}/${client.id}`, { ...client, ...changes })
}

/** Registers the addresses of connections at the client. */
function registerConnections(keycloak: TestKeycloak, connections: Connection[]): Promise<void> {
  return changeClient(keycloak, {
    redirectUris: connections.map(({ redirect_uri: uri }) => uri),
    attributes: {
      'backchannel.logout.url': connections[0]?.backchannel_logout_uri,
      'backchannel.logout.session.required': 'true',
    },
  })
}

/** Adds somebody with a verified address, who is in the group `dev`. */
export async function addUser(keycloak: TestKeycloak, username: string): Promise<RealmUser> {
  const email = `${username}@acme.example`
  await keycloak.admin('POST', `/${realm}/users`, {
    ...{ username, email, emailVerified: true, enabled: true, firstName: 'Ann', lastName: 'Example' },
    ...{ credentials: [{ type: 'password', value: password }], groups: ['/dev'] },
  })
  return { id: await idOf(keycloak, username), username }
}

async function idOf(keycloak: TestKeycloak, username: string): Promise<string> {
  const [user] = await keycloak.admin<[{ id: string }]>('GET', `/${realm}/users?username=${username}`)
  return user.id
}

/** Takes somebody out of the group `dev`. */
async function removeFromGroup(keycloak: TestKeycloak, { username }: ProviderUser): Promise<void> {
  const [group] = await keycloak.admin<[{ id: string }]>('GET', `/${realm}/groups`)
  const id = await idOf(keycloak, username)
  await keycloak.admin('DELETE', `/${realm}/users/${id}/groups/${group.id}`)
}

/** Gives the realm a new signing key, which it uses from now on, and takes the former keys away. */
async function rotateKeys(keycloak: TestKeycloak): Promise<void> {
  const type = 'org.keycloak.keys.KeyProvider'
  const former = await keycloak.admin<{ id: string; providerId: string }[]>(
    'GET',
    `/${realm}/components?type=${type}`,
  )
  const { id: parentId } = await keycloak.admin<{ id: string }>('GET', `/${realm}`)
  await keycloak.admin('POST', `/${realm}/components`, {
    ...{ name: 'a new key', providerId: 'rsa-generated', providerType: type, parentId },
    config: { priority: ['200'], enabled: ['true'], active: ['true'], algorithm: ['RS256'] },
  })
  for (const { id, providerId } of former)
    if (providerId === 'rsa-generated') await keycloak.admin('DELETE', `/${realm}/components/${id}`)
}

/** The realm as a provider. */
export function realmProvider(keycloak: TestKeycloak): RealProvider {
  const { baseUrl } = keycloak
  return {
    ...{ baseUrl, issuer: `${baseUrl}/realms/${realm}`, scope: 'openid profile email' },
    client: { client_id: own.clientId, client_secret: own.secret },
    register: (connections) => registerConnections(keycloak, connections),
    addUser: (username) => addUser(keycloak, username),
    removeFromGroup: (user) => removeFromGroup(keycloak, user),
    rotateKeys: () => rotateKeys(keycloak),
  }
}
