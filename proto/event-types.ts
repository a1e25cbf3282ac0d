/** An event's metadata. It must not contain a token, secret, code or password, nor anything that a stranger typed. */
type Metadata = Record<string, string>

/** The content of an event besides its type and time. */
export type EventContent<M extends Metadata = Metadata> = {
  userId?: string | undefined
  clientId?: string | undefined
  /** An error code. */
  error?: string | undefined
  metadata: M
}

/** One kind of event that the system's own operations emit. */
type EventDefinition<M extends Metadata> = {
  /** When it happens: the end of "Emitted when …". */
  readonly when: string
  readonly severity: 'info' | 'warning' | 'error'
  /** The service that emits it; with `all`, the service whose data was changed. */
  readonly producer: 'gateway' | 'token' | 'client-registry' | 'identity' | 'events' | 'all'
  /** The example in docs/events/events.md, which also gives the content its type. */
  readonly example: EventContent<M>
}

const define = <M extends Metadata>(definition: EventDefinition<M>) => definition

const clientId = 'client_9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f'
const userId = '0192a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
const tokenId = '0192a1b2-d4e5-7f60-9b0c-1d2e3f4a5b6c'
const organizationId = 'org_0192a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c'
/** A connection. The organization_id of one of the instance is empty. */
const connection = {
  connection_id: 'con_0192a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d',
  organization_id: organizationId,
}

/** The services of this system. No event from outside may name one of them as its producer. */
export const ownProducers: ReadonlySet<string> = new Set([
  'gateway',
  'token',
  'client-registry',
  'identity',
  'events',
])

/** Every kind of event that the system's own operations emit, by its name. */
export const eventTypes = {
  authorization_code_created: define({
    when: 'a client was issued an authorization code for a user',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { scope: 'read profile' } },
  }),
  authorization_code_validated: define({
    when: 'a client redeemed an authorization code',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { scope: 'read profile' } },
  }),
  authorization_code_expired: define({
    when: 'a client presented an expired authorization code',
    severity: 'info',
    producer: 'token',
    example: { clientId, metadata: {} },
  }),
  token_created: define({
    when: 'an access token was issued',
    severity: 'info',
    producer: 'token',
    example: {
      userId,
      clientId,
      metadata: { token_id: tokenId, grant_type: 'authorization_code', scope: 'read profile' },
    },
  }),
  token_validated: define({
    when: 'introspection found a token active',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { token_id: tokenId } },
  }),
  token_revoked: define({
    when: 'a token was revoked, or all tokens of a grant, a client, a user, a consent or a session',
    severity: 'info',
    producer: 'token',
    example: { clientId, metadata: { kind: 'access_token', id: tokenId } },
  }),
  token_expired: define({
    when: 'an expired token was introspected',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { token_id: tokenId } },
  }),
  refresh_token_reused: define({
    when: 'a replaced refresh token was used again, so that all tokens of its grant were revoked',
    severity: 'warning',
    producer: 'token',
    example: { clientId, metadata: { grant_id: tokenId } },
  }),
  refresh_token_repeated: define({
    when: 'a refresh token was used again within 10 seconds, which gives the same new refresh token',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { grant_id: tokenId } },
  }),
  signing_key_rotated: define({
    when: 'new tokens are signed with a new key, after an administrator rotated the key of the algorithm',
    severity: 'info',
    producer: 'token',
    example: { metadata: { kid: '0192a1b2-e5f6-7071-8c1d-2e3f4a5b6c7d', algorithm: 'HS256' } },
  }),
  client_registered: define({
    when: 'a client was registered, by itself or by an administrator, or its metadata document was read for the first time',
    severity: 'info',
    producer: 'client-registry',
    example: { clientId, metadata: { client_name: 'Acme' } },
  }),
  client_updated: define({
    when: 'a client changed its own metadata',
    severity: 'info',
    producer: 'client-registry',
    example: { clientId, metadata: { client_name: 'Acme' } },
  }),
  client_validated: define({
    when: 'a client authenticated at the token endpoint',
    severity: 'info',
    producer: 'token',
    example: { clientId, metadata: {} },
  }),
  client_deleted: define({
    when: 'a client was deleted, by itself, by an administrator, or because nobody used it',
    severity: 'info',
    producer: 'client-registry',
    example: { clientId, metadata: {} },
  }),
  user_authenticated: define({
    when: 'a user logged in',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: { method: 'password' } },
  }),
  user_authentication_failed: define({
    when: 'a login failed',
    severity: 'warning',
    producer: 'identity',
    example: { userId, error: 'wrong_password', metadata: { method: 'password' } },
  }),
  user_signed_up: define({
    when: 'a person created an account by the link in a mail',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: {} },
  }),
  password_reset: define({
    when: 'a user set a new password by the link in a mail',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: {} },
  }),
  email_address_confirmed: define({
    when: 'a user confirmed their e-mail address by the link in a mail',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: { changed: 'true' } },
  }),
  factor_enrolled: define({
    when: 'a user enrolled a second factor',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: { kind: 'passkey' } },
  }),
  factor_removed: define({
    when: 'a user removed one of their second factors',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: { kind: 'totp' } },
  }),
  factors_reset: define({
    when: 'an administrator removed a second factor of a user, or all of them',
    severity: 'warning',
    producer: 'identity',
    example: { userId, metadata: { kind: 'all' } },
  }),
  recovery_codes_renewed: define({
    when: 'a user made new recovery codes',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: { kind: 'recovery_code' } },
  }),
  recovery_code_used: define({
    when: 'a user proved the second factor with a recovery code',
    severity: 'warning',
    producer: 'identity',
    example: { userId, metadata: { kind: 'recovery_code' } },
  }),
  passkey_counter_decreased: define({
    when: 'a passkey that is bound to one device was refused because its signature counter did not grow: it may have been copied',
    severity: 'warning',
    producer: 'identity',
    example: { userId, metadata: { passkey_id: tokenId } },
  }),
  data_downloaded: define({
    when: 'a user downloaded what is stored about them',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: {} },
  }),
  account_deleted: define({
    when: 'a user deleted their own account',
    severity: 'warning',
    producer: 'identity',
    example: { userId, metadata: {} },
  }),
  user_logout: define({
    when: 'a user logged out',
    severity: 'info',
    producer: 'gateway',
    example: { userId, metadata: {} },
  }),
  consent_granted: define({
    when: 'a user allowed a client a scope',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { scope: 'read profile' } },
  }),
  consent_denied: define({
    when: 'a user denied a client a scope',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { scope: 'read profile' } },
  }),
  organization_domain_proven: define({
    when: 'an organization proved a domain, also one that it had lost',
    severity: 'info',
    producer: 'identity',
    example: { metadata: { organization_id: organizationId, domain: 'acme.example' } },
  }),
  organization_domain_lost: define({
    when: 'an organization lost a domain, because its TXT record had been missing for seven days',
    severity: 'warning',
    producer: 'identity',
    example: { metadata: { organization_id: organizationId, domain: 'acme.example' } },
  }),
  connection_created: define({
    when: 'a connection to another identity provider was created. The organization_id is empty for one of the instance',
    severity: 'info',
    producer: 'identity',
    example: { metadata: { ...connection, kind: 'oidc' } },
  }),
  connection_updated: define({
    when: 'a connection was changed, or enabled; changed names its fields, and credentials stands for a new secret or key',
    severity: 'info',
    producer: 'identity',
    example: { metadata: { ...connection, changed: 'issuer credentials' } },
  }),
  connection_disabled: define({
    when: 'a connection was disabled, so that the logins by it ended',
    severity: 'warning',
    producer: 'identity',
    example: { metadata: connection },
  }),
  connection_deleted: define({
    when: 'a connection was deleted, also with its organization, so that the logins by it ended',
    severity: 'warning',
    producer: 'identity',
    example: { metadata: connection },
  }),
  connection_logins_ended: define({
    when: 'logins of a user by a connection ended because its provider said that they logged out there',
    severity: 'info',
    producer: 'identity',
    example: { userId, metadata: { connection_id: connection.connection_id } },
  }),
  administrator_acted: define({
    when: 'an administrator changed something; the audit log has the values before and after. The user_agent is empty if the request had none',
    severity: 'info',
    producer: 'all',
    example: {
      userId,
      metadata: {
        action: 'client.update',
        target: clientId,
        entry_id: '0192a1b2-f607-7182-9d2e-3f405162738a',
        ip_address: '192.0.2.7',
        user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
    },
  }),
  webhook_test: define({
    when: 'an administrator tested the webhook; only the webhook gets it, whatever OAUTH2_EVENTS_TYPES names',
    severity: 'info',
    producer: 'events',
    example: { metadata: {} },
  }),
} as const

/** The name of a kind of event of our own. */
export type EventType = keyof typeof eventTypes

/** The content of a kind of event. */
export type ContentOf<Type extends EventType> = (typeof eventTypes)[Type]['example']
