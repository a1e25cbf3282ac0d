/** What an event's metadata may say: no token, secret, code or password, and nothing that a stranger typed. */
type Metadata = Record<string, string>

/** What an event says besides its type and its time. */
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
  /** The service that emits it; all: the one whose data was changed. */
  readonly producer: 'gateway' | 'token' | 'client-registry' | 'identity' | 'all'
  /** For the reader of docs/events.md, and the type of what it says. */
  readonly example: EventContent<M>
}

const define = <M extends Metadata>(definition: EventDefinition<M>) => definition

const clientId = 'client_9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f'
const userId = '0192a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'
const tokenId = '0192a1b2-d4e5-7f60-9b0c-1d2e3f4a5b6c'

/** The services of this system: nobody else is believed to be one of them, and what they emit is ours. */
export const ownProducers: ReadonlySet<string> = new Set([
  'gateway',
  'token',
  'client-registry',
  'identity',
  'events',
])

/** Every kind of event that the system's own operations emit, by its name (decisions: events). */
export const eventTypes = {
  authorization_code_created: define({
    when: 'a user was sent back to a client with an authorization code',
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
    when: 'a client came with an authorization code whose time was over',
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
    when: 'a token was revoked, or all that a grant, a client, a user or a consent had given',
    severity: 'info',
    producer: 'token',
    example: { clientId, metadata: { kind: 'access_token', id: tokenId } },
  }),
  token_expired: define({
    when: 'somebody asked about a token whose time was over',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { token_id: tokenId } },
  }),
  refresh_token_reused: define({
    when: 'a refresh token that had been replaced came again, so all that its grant gave was revoked',
    severity: 'warning',
    producer: 'token',
    example: { clientId, metadata: { grant_id: tokenId } },
  }),
  refresh_token_repeated: define({
    when: 'a refresh token was used again within the 10 seconds in which that gives the same successor',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { grant_id: tokenId } },
  }),
  signing_key_rotated: define({
    when: 'an administrator had a new key sign from now on',
    severity: 'info',
    producer: 'token',
    example: { metadata: { kid: '0192a1b2-e5f6-7071-8c1d-2e3f4a5b6c7d' } },
  }),
  client_registered: define({
    when: 'a client was registered, by itself or by an administrator',
    severity: 'info',
    producer: 'client-registry',
    example: { clientId, metadata: { client_name: 'Acme' } },
  }),
  client_validated: define({
    when: 'a client that is to get a token proved who it is',
    severity: 'info',
    producer: 'token',
    example: { clientId, metadata: {} },
  }),
  client_deleted: define({
    when: 'an administrator deleted a client',
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
    when: 'somebody failed to log in',
    severity: 'warning',
    producer: 'identity',
    example: { userId, error: 'wrong_password', metadata: { method: 'password' } },
  }),
  user_logout: define({
    when: 'a user logged out',
    severity: 'info',
    producer: 'gateway',
    example: { userId, metadata: {} },
  }),
  consent_granted: define({
    when: 'a user allowed a client something',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { scope: 'read profile' } },
  }),
  consent_denied: define({
    when: 'a user refused what a client asked for',
    severity: 'info',
    producer: 'token',
    example: { userId, clientId, metadata: { scope: 'read profile' } },
  }),
  administrator_acted: define({
    when: 'an administrator changed something; the audit log has what it was before and after',
    severity: 'info',
    producer: 'all',
    example: { userId, metadata: { action: 'client.disable', target: clientId } },
  }),
} as const

/** The name of a kind of event of our own. */
export type EventType = keyof typeof eventTypes

/** What an event of this kind says. */
export type ContentOf<Type extends EventType> = (typeof eventTypes)[Type]['example']
