import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hydraClient } from '../src/import/hydra-client.ts'
import { keycloakClient } from '../src/import/keycloak-client.ts'
import { keycloakRealm, realmNote } from '../src/import/keycloak-realm.ts'
import { keycloakUser } from '../src/import/keycloak-user.ts'
import type { Prepared } from '../src/import/prepared.ts'

// The fields of Keycloak 26.8's representations and of a client of Hydra 2.3. Each that is set is kept, or named.

const words = (text: string) => text.trim().split(/\s+/)

const userFields = words(`
  origin createdTimestamp totp federationLink serviceAccountClientId credentials requiredActions
  federatedIdentities realmRoles clientRoles clientConsents notBefore verifiableCredentials issuedVerifiableCredentials
  applicationRoles socialLinks groups access self disableableCredentialTypes id firstName lastName email emailVerified attributes
  userProfileMetadata somethingNew`)

const clientFields = words(`
  id name description type rootUrl adminUrl baseUrl surrogateAuthRequired alwaysDisplayInConsole clientAuthenticatorType
  secret registrationAccessToken defaultRoles redirectUris webOrigins notBefore bearerOnly consentRequired
  implicitFlowEnabled directAccessGrantsEnabled authorizationServicesEnabled directGrantsOnly publicClient
  frontchannelLogout protocol attributes authenticationFlowBindingOverrides nodeReRegistrationTimeout registeredNodes
  protocolMappers clientTemplate useTemplateConfig useTemplateScope useTemplateMappers defaultClientScopes optionalClientScopes
  authorizationSettings access origin somethingNew`)

const clientAttributes = words(`
  access.token.lifespan access.token.signed.response.alg acr.loa.map authorization.signed.response.alg
  backchannel.logout.revoke.offline.tokens backchannel.logout.session.required backchannel.logout.url
  client.offline.session.idle.timeout client.offline.session.max.lifespan client.secret.creation.time client.secret.expiration.time
  client.session.idle.timeout client.session.max.lifespan client.use.lightweight.access.token.enabled
  client_credentials.use_refresh_token consent.screen.text default.acr.values default.max.age display.on.consent.screen
  dpop.bound.access.tokens frontchannel.logout.session.required frontchannel.logout.url id.token.encrypted.response.alg
  id.token.encrypted.response.enc id.token.signed.response.alg login_theme logoUri minimum.acr.value
  oauth2.device.authorization.grant.enabled oidc.ciba.grant.enabled policyUri post.logout.redirect.uris realm_client
  request.object.encryption.alg request.object.required request.object.signature.alg request.uris
  require.pushed.authorization.requests standard.token.exchange.enabled tls.client.certificate.bound.access.tokens
  token.response.type.bearer.lower-case tosUri use.refresh.tokens user.info.response.signature.alg x509.subjectdn something.new`)

const hydraFields = words(`
  client_name client_secret redirect_uris grant_types response_types scope audience owner policy_uri allowed_cors_origins tos_uri
  client_uri logo_uri contacts client_secret_expires_at subject_type sector_identifier_uri jwks_uri jwks token_endpoint_auth_method
  request_uris request_object_signing_alg token_endpoint_auth_signing_alg userinfo_signed_response_alg created_at updated_at
  frontchannel_logout_uri frontchannel_logout_session_required post_logout_redirect_uris backchannel_logout_uri
  backchannel_logout_session_required metadata skip_consent skip_logout_consent access_token_strategy registration_access_token
  registration_client_uri authorization_code_grant_access_token_lifespan authorization_code_grant_id_token_lifespan
  authorization_code_grant_refresh_token_lifespan client_credentials_grant_access_token_lifespan
  implicit_grant_access_token_lifespan implicit_grant_id_token_lifespan jwt_bearer_grant_access_token_lifespan
  refresh_token_grant_access_token_lifespan refresh_token_grant_id_token_lifespan refresh_token_grant_refresh_token_lifespan
  device_authorization_grant_access_token_lifespan something_new`)

/** Values that a field may have: texts, numbers, lists and objects of such, and true. False and null are for what is off. */
const value = fc.oneof(
  fc.constantFrom<unknown>(true, 'value', '2h0m0s', 7_200, ['value'], [{ type: 'otp', name: 'value' }]),
  fc.record({ value: fc.constantFrom<unknown>('value', ['value'], true) }),
)

/** Whether a field of the source is in what became of it: in a sentence, apart, or in the item. */
function isAccounted(
  prepare: (source: object) => Prepared<object>,
  base: object,
  change: object,
  name: string,
): boolean {
  const [without, prepared] = [prepare(base), prepare({ ...base, ...change })]
  if (!('item' in prepared)) return prepared.reason !== ''
  if (prepared.note.includes(name) || prepared.unneeded?.some((one) => one.endsWith(name))) return true
  return 'item' in without && JSON.stringify(without.item) !== JSON.stringify(prepared.item)
}

const user = {
  username: 'ann',
  credentials: [{ type: 'password', secretData: '{}', credentialData: '{"algorithm":"pbkdf2"}' }],
}
const keycloak = {
  clientId: 'shop',
  redirectUris: ['https://shop.example/callback'],
  serviceAccountsEnabled: true,
}
const hydra = { client_id: 'shop', grant_types: ['authorization_code', 'client_credentials'] }

describe.each<[string, string[], (source: object) => Prepared<object>, object, (name: string) => string]>([
  ['a user of Keycloak', userFields, (source) => keycloakUser(source), user, (name) => name],
  ['a client of Keycloak', clientFields, (source) => keycloakClient(source), keycloak, (name) => name],
  ['a client of Hydra', hydraFields, (source) => hydraClient(source), hydra, (name) => name],
])('each field of %s', (_, fields, prepare, base) => {
  test.each(fields)('%s is kept or named, whatever it is', (field) => {
    fc.assert(
      fc.property(value, (given) => {
        // A value that says the same as the base changes nothing.
        fc.pre(prepareIsDifferent(field, given))
        expect(isAccounted(prepare, base, { [field]: given }, field), JSON.stringify(given)).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})

/** Values that are the default, or whose kind the field never has: `enabled: "value"` says nothing. */
function prepareIsDifferent(field: string, given: unknown): boolean {
  const booleans =
    /^(publicClient|consentRequired|implicitFlowEnabled|directAccessGrantsEnabled|directGrantsOnly|bearerOnly|totp|emailVerified|skip_consent|backchannel_logout_session_required)$/
  if (booleans.test(field)) return given === true
  const texts =
    /^(name|firstName|lastName|email|id|secret|rootUrl|baseUrl|protocol|clientAuthenticatorType|scope|serviceAccountClientId)$/
  if (texts.test(field)) return typeof given === 'string'
  if (field === 'createdTimestamp') return typeof given === 'number'
  if (/Identities|socialLinks|credentials|protocolMappers/.test(field))
    return Array.isArray(given) && typeof given[0] === 'object'
  if (/Roles$|^attributes$/.test(field) && field !== 'realmRoles' && field !== 'defaultRoles')
    return typeof given === 'object' && !Array.isArray(given)
  if (
    /^(realmRoles|groups|requiredActions|redirectUris|webOrigins|defaultClientScopes|optionalClientScopes)$/.test(
      field,
    )
  )
    return Array.isArray(given) && typeof given[0] === 'string'
  return true
}

test.each(clientAttributes)('the attribute %s of a client of Keycloak is kept or named', (attribute) => {
  // It is what each client must do here, or is the same as without it.
  if (attribute === 'pkce.code.challenge.method') return
  fc.assert(
    fc.property(
      fc.constantFrom('true', '30', '600', 'https://shop.example/x', 'RS256', '{"a":1}', '+'),
      (text) => {
        const base = { ...keycloak, secret: 'the secret that it always had' }
        if (attribute === 'use.refresh.tokens' || attribute === 'oauth2.device.authorization.grant.enabled')
          return
        if (attribute === 'backchannel.logout.session.required' && text !== 'true') return
        const change = { attributes: { [attribute]: text } }
        expect(
          isAccounted((source) => keycloakClient(source), base, change, attribute),
          text,
        ).toBe(true)
      },
    ),
  )
})

test('each field of a realm is named', () => {
  const names = [
    'passwordPolicy',
    'groups',
    'roles',
    'bruteForceProtected',
    'otpPolicyType',
    'somethingNew',
    'clients',
  ]
  const note = realmNote(keycloakRealm({ realm: 'staff' }, ['realm', 'users', ...names]), 'users')
  for (const name of names) expect(note).toContain(name)
})

describe('a restriction is never dropped', () => {
  const itemOf = (prepared: Prepared<object>) => {
    if (!('item' in prepared)) throw new Error(prepared.reason)
    return { ...prepared.item, note: prepared.note } as Record<string, unknown>
  }
  const password = { type: 'password', value: 'hunter2hunter2' }

  test.each<[string, object]>([
    ['a temporary password', { credentials: [{ ...password, temporary: true }] }],
    ['UPDATE_PASSWORD', { requiredActions: ['UPDATE_PASSWORD'] }],
    ['VERIFY_EMAIL', { requiredActions: ['VERIFY_EMAIL'], email: 'ann@example.com' }],
  ])('a user with %s has no password', (_, change) => {
    const item = itemOf(keycloakUser({ username: 'ann', credentials: [password], ...change }))
    expect(item).not.toHaveProperty('password')
    expect(item).not.toHaveProperty('password_hash')
    expect(item.note).toContain('password is left out')
  })

  test.each<[string, object]>([
    ['CONFIGURE_TOTP', { requiredActions: ['CONFIGURE_TOTP'] }],
    ['TERMS_AND_CONDITIONS', { requiredActions: ['TERMS_AND_CONDITIONS'] }],
    ['an action of a plug-in', { requiredActions: ['ask-my-boss'] }],
    ['an authenticator app', { credentials: [password, { type: 'otp' }] }],
    ['a passkey', { credentials: [password, { type: 'webauthn' }] }],
    ['totp', { totp: true }],
  ])('a user with %s is disabled', (_, change) => {
    expect(itemOf(keycloakUser({ username: 'ann', credentials: [password], ...change }))).toMatchObject({
      disabled: true,
    })
  })

  test('a user with a second factor comes without it if the command says so', () => {
    const given = { username: 'ann', credentials: [password, { type: 'otp' }] }
    const item = itemOf(keycloakUser(given, undefined, { withoutFactors: true }))
    expect(item).not.toHaveProperty('disabled')
    expect(item.note).toContain('credentials otp')
  })

  test('a user of a realm that asks for a proved address proves theirs first', () => {
    const realm = keycloakRealm(
      { realm: 'staff', verifyEmail: true, identityProviders: [{ alias: 'g', providerId: 'google' }] },
      [],
    )
    const given = {
      username: 'ann',
      email: 'ann@example.com',
      credentials: [password],
      federatedIdentities: [{ identityProvider: 'g', userId: '1' }],
    }
    expect(itemOf(keycloakUser(given, realm))).not.toHaveProperty('password')
    expect(itemOf(keycloakUser(given, realm))).not.toHaveProperty('social_accounts')
    expect(itemOf(keycloakUser({ ...given, emailVerified: true }, realm))).toMatchObject({
      password: password.value,
    })
  })

  test.each<[string, object]>([
    ['users', itemOf(keycloakUser({ username: 'ann' }, keycloakRealm({ enabled: false }, [])))],
    ['clients', itemOf(keycloakClient(keycloak, keycloakRealm({ enabled: false }, [])))],
  ])('%s of a disabled realm are disabled', (_, item) => expect(item).toMatchObject({ disabled: true }))

  test.each([
    { 'request.object.required': 'request or request_uri' },
    { 'require.pushed.authorization.requests': 'true' },
    { 'tls.client.certificate.bound.access.tokens': 'true' },
    { 'dpop.bound.access.tokens': 'true' },
    { 'access.token.lifespan': '5' },
    { 'client.session.max.lifespan': '600' },
    { 'minimum.acr.value': '2' },
  ])('a client of Keycloak with %j is disabled', (attributes) => {
    expect(itemOf(keycloakClient({ ...keycloak, attributes }))).toMatchObject({ disabled: true })
  })

  test.each([
    { authenticationFlowBindingOverrides: { browser: 'strict' } },
    { protocolMappers: [{ name: 'sub', protocolMapper: 'oidc-sha256-pairwise-sub-mapper' }] },
  ])('a client of Keycloak with %j is disabled', (change) => {
    expect(itemOf(keycloakClient({ ...keycloak, ...change }))).toMatchObject({ disabled: true })
  })

  test('what is off stays off', () => {
    expect(itemOf(keycloakUser({ username: 'ann', enabled: false }))).toMatchObject({ disabled: true })
    expect(itemOf(keycloakClient({ ...keycloak, enabled: false }))).toMatchObject({ disabled: true })
    const item = itemOf(keycloakClient({ ...keycloak, standardFlowEnabled: false, fullScopeAllowed: false }))
    expect(item).toMatchObject({
      grant_types: ['client_credentials'],
      note: expect.stringContaining('fullScopeAllowed'),
    })
  })

  test('a client of Keycloak without any flow is not imported', () => {
    const change = {
      standardFlowEnabled: false,
      serviceAccountsEnabled: false,
      directAccessGrantsEnabled: false,
    }
    expect(keycloakClient({ ...keycloak, ...change })).toMatchObject({ outcome: 'skipped' })
  })

  test('a client of Keycloak with direct grants only has no other', () => {
    const item = itemOf(
      keycloakClient({ ...keycloak, serviceAccountsEnabled: false, directGrantsOnly: true }),
    )
    expect(item.grant_types).toEqual(['password', 'refresh_token'])
  })

  test('a client of Hydra with pairwise subjects is disabled, and its report says why', () => {
    const item = itemOf(hydraClient({ ...hydra, subject_type: 'pairwise' }))
    expect(item).toMatchObject({ disabled: true, note: expect.stringContaining('subject_type') })
  })

  test('the shortest lifetime of the grants of a client of Hydra counts', () => {
    const lifetimes = {
      authorization_code_grant_access_token_lifespan: '1h',
      client_credentials_grant_access_token_lifespan: '5m0s',
    }
    expect(itemOf(hydraClient({ ...hydra, ...lifetimes }))).toMatchObject({ access_token_lifetime: 300 })
  })
})
