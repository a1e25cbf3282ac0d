import type { SessionDigests } from '../basics/secret.ts'
import type { PublicUser } from '../users/user.ts'
import type { ConnectionLogin } from './connection-login.ts'

/** A login in a browser, as its user may see it. */
export type Session = {
  /** Identifies the session, but does not authenticate anybody. */
  id: string
  user: PublicUser
  createdAt: Date
  expiresAt: Date
  userAgent: string
  ipAddress: string
  /** When the database read this session, by the database's clock. */
  seenAt: Date
  /** When the user last logged in during this session, by the database's clock. */
  authenticatedAt: Date
  /** When the session was last used, to within `seenEvery`. */
  lastSeenAt: Date
  /** How they logged in (RFC 8176). */
  methods: readonly string[]
  /** The connection of the instance by which they last logged in; undefined for any other way. */
  connectionId: string | undefined
  /** Those that are known: without them, nothing that they open is open. */
  organizationLogins: readonly OrganizationLogin[]
  /** Whether it has no other login. `authenticatedAt` and `methods` say nothing then, and two factors are neither unproven nor due. */
  organizationsOnly: boolean
  /** Whether the user has a second factor that they have not proven in this session. */
  secondFactorUnproven: boolean
  /** Whether two factors are demanded of the user, by OAUTH2_MFA or because they have a second one, and this session lacks one. */
  secondFactorDue: boolean
  /** The scope that the user has allowed the given client, space-separated; undefined when no client was given. */
  consentedScope: string | undefined
  /** The scopes that they have allowed it in organizations. */
  consentedIn: readonly ConsentedIn[]
  /** The names of the attributes that the user has. */
  attributeNames: readonly string[]
}

/** A login by a connection of an organization, which counts for that organization alone. */
export type OrganizationLogin = {
  connectionId: string
  organizationId: string
  /** By the provider's clock, if it says so. */
  authenticatedAt: Date
  /** How they logged in (RFC 8176), as far as the provider is trusted to say. */
  methods: readonly string[]
}

/** The scope that a user has allowed a client in an organization, space-separated. */
export type ConsentedIn = { organizationId: string; scope: string }

/** A session to begin, without its user. */
export type StartingSession = {
  id: string
  secretDigest: Buffer
  userAgent: string
  ipAddress: string
  /** Seconds. */
  lifetime: number
  /** How the user logged in (RFC 8176). */
  methods: readonly string[]
  /**
   * The digests of the browser's previous session: one of them can be that of a session. It goes on with a new secret and its logins by
   * organizations if it is the same user's, else it ends.
   */
  previousDigests: readonly Buffer[]
  /** The client whose consented scope is wanted; undefined for none. */
  clientId: string | undefined
}

/** A session to begin for a user. */
export type BeginningSession = StartingSession & {
  userId: string
  /** The hash that the password was compared with; undefined when the login used no password. */
  passwordHash: string | undefined
  /** The login by a connection of the instance; undefined for any other way. */
  connectionLogin: ConnectionLogin | undefined
}

/** A session to begin for a user who has logged in by a connection of an organization. */
export type BeginningMemberSession = Pick<
  StartingSession,
  'id' | 'secretDigest' | 'userAgent' | 'ipAddress' | 'lifetime' | 'previousDigests'
> & {
  userId: string
  /** The digest of the secret if the session has no other login: see memberDigestOf. */
  memberDigest: Buffer
  connectionLogin: ConnectionLogin & { organizationId: string }
}

/** The fields that the database adds to a session that begins. */
export type BegunSession = Pick<
  Session,
  | 'id'
  | 'createdAt'
  | 'expiresAt'
  | 'seenAt'
  | 'authenticatedAt'
  | 'consentedScope'
  | 'consentedIn'
  | 'attributeNames'
  | 'connectionId'
  | 'organizationLogins'
> & {
  /** The pending revocation of the previous session, if it ended and the token service must be told. */
  revocationIds: readonly bigint[]
}

/** Stores sessions. It does not find an expired session, nor one whose user is disabled. */
export type SessionStore = {
  /**
   * Begins a session. The browser's previous session goes on as this one if it is the same user's, else it ends.
   * @returns undefined when the user was disabled, the password changed since it was checked, or the connection was disabled or no
   *   longer leads to the user; 'second factor' when the user has one, or must have one, and has not proven it
   */
  begin(session: BeginningSession): Promise<BegunSession | 'second factor' | undefined>
  /**
   * Adds a login by a connection of an organization to the browser's previous session if it is the same user's; else that session ends,
   * and one begins that has no other login.
   * @returns the pending revocations of a session that ended; undefined when the user is disabled, no member, or no longer linked, or the
   *   organization or the connection is disabled
   */
  beginMember(session: BeginningMemberSession): Promise<readonly bigint[] | undefined>
  /**
   * Begins the session of a pending login whose user has proven all that is demanded, and deletes the pending login.
   * @returns undefined when it is unknown, expired or completed, or its user was disabled or changed the password meanwhile
   */
  complete(session: StartingSession & { pendingDigest: Buffer }): Promise<BegunSession | undefined>
  /**
   * Finds a session with a login by a way of the instance, without its logins by organizations.
   * @param clientId the client whose consented scope is wanted; undefined for none
   */
  find(secretDigest: Buffer, clientId: string | undefined): Promise<Session | undefined>
  /** Finds a session of either kind, with its logins by organizations. One that has no login any more is not found. */
  findAny(digests: SessionDigests, clientId: string | undefined): Promise<Session | undefined>
  /** Notes that a session is used now, unless that was noted in the last `seenEvery`. */
  see(sessionId: string): Promise<void>
  /**
   * Gives a session the methods of a factor that its user proved in it, and a new secret. It keeps the time of its login.
   * @returns false when it is unknown or has ended, or its user is disabled
   */
  raise(secretDigest: Buffer, newDigest: Buffer, methods: readonly string[]): Promise<boolean>
  /** Newest first. */
  list(userId: string): Promise<Session[]>
  /**
   * @param endLinks whether the links in mails to the user end too
   * @returns the id of the pending revocation, if the session ended now and the token service must be told
   */
  end(userId: string, sessionId: string, endLinks: boolean): Promise<readonly bigint[]>
}
