import { Refusal } from '@gatehouse/kit/errors'
import { isSecret, isUuid } from '@gatehouse/kit/formats'
import { networkOf } from '@gatehouse/kit/network'
import {
  checkLimit,
  type Keyed,
  type MergeablePage,
  mergeablePageOf,
  type PageRequest,
  readCursor,
} from '@gatehouse/kit/page'
import { isStorable, keptIpAddress, keptUserAgent, storable } from '@gatehouse/kit/storable'
import { type UsageStep, usageStepOf } from '@gatehouse/proto/usage'
import type { MinuteLimit } from '../basics/minute-limit.ts'

/** An attempt to log in. Attempts are kept for 30 days. */
export type LoginAttempt = {
  /** A UUIDv7, so ids sort by time. */
  id: string
  at: Date
  /** undefined, as is `username`, when no user has the name that was typed. It is not stored, because it may be a password. */
  userId: string | undefined
  /** The user's name at the time. */
  username: string | undefined
  /** The client that the login was for, or that used the password grant; undefined when there was none. */
  clientId: string | undefined
  ipAddress: string
  /** The User-Agent header, as much of it as there was. */
  userAgent: string
  /** password, password_grant, or the name of a social provider. */
  method: string
  /** The error code of the event user_authentication_failed; undefined when the login succeeded. */
  failure: string | undefined
}

/** An attempt to store. The store adds the user's name. */
export type NewLoginAttempt = Omit<LoginAttempt, 'id' | 'at' | 'username'> & {
  /** The marks of the users of whom the browser is known; undefined: nobody gets a mail. */
  knownUsers?: readonly string[] | undefined
}

/** A list has the attempts that match all of these. */
export type LoginFilter = {
  /** undefined: any user, and attempts of unknown users. */
  userId?: string | undefined
  /** undefined: any client, and attempts without one. */
  clientId?: string | undefined
  /** undefined: any address. */
  ipAddress?: string | undefined
  /** undefined: either. */
  outcome: 'succeeded' | 'failed' | undefined
  /** From this moment on, and before that one; undefined: of any time. */
  since?: Date | undefined
  until?: Date | undefined
}

/** An attempt's position in the list. */
export type LoginPosition = {
  /** When it was made, in microseconds since the Unix epoch, as decimal digits. */
  microseconds: string
  id: string
}

/** How many logins succeeded and failed in a minute, an hour or a day. */
export type LoginsOfPeriod = {
  /** When it began; hours and days are those of UTC. */
  time: Date
  succeeded: number
  failed: number
}

/** Stores login attempts. */
export type LoginHistoryStore = {
  /**
   * Stores an attempt with the user's current name. If the user was deleted meanwhile, it stores the attempt without a user. A user
   * who is not among the known ones gets a mail, unless their account is less than an hour old.
   */
  add(attempt: NewLoginAttempt): Promise<void>
  /**
   * Newest first. Each item's key is its position: microseconds and id.
   * @param after the position after which the list continues; undefined: from the newest
   * @param limit the most attempts to return
   */
  list(filter: LoginFilter, after: LoginPosition | undefined, limit: number): Promise<Keyed<LoginAttempt>[]>
  /** Counts from the period of `since` on, as far back as usage is counted; oldest first, without empty periods. */
  countSince(since: Date, step: UsageStep): Promise<LoginsOfPeriod[]>
}

/** The needs of recording attempts. */
export type RecordingDeps = {
  loginHistory: Pick<LoginHistoryStore, 'add'>
  /** Limits how many of the attempts that anybody can make by the thousand are recorded. */
  mayRecord: MinuteLimit
}

/** Where an attempt comes from, and which client it is for. */
export type LoginOrigin = {
  ipAddress: string
  userAgent?: string
  clientId?: string | undefined
  /** The marks of the users who have logged in with this browser before; undefined where no browser logs in. */
  knownUsers?: readonly string[] | undefined
}

/** Client ids are cut to this length, in UTF-16 code units. */
const longestClientId = 255

/**
 * Records an attempt. Call it before answering, so that no attempt is missing.
 * @param result userId: undefined when no user has the name that was typed; failure: undefined when the login succeeded
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function recordLogin(
  { ipAddress, userAgent = '', clientId, knownUsers }: LoginOrigin,
  result: Pick<NewLoginAttempt, 'userId' | 'method' | 'failure'>,
  { loginHistory }: Pick<RecordingDeps, 'loginHistory'>,
): Promise<void> {
  await loginHistory.add({
    ...result,
    clientId: clientId && storable(clientId.slice(0, longestClientId)),
    ipAddress: keptIpAddress(ipAddress),
    userAgent: keptUserAgent(userAgent),
    knownUsers: result.failure === undefined ? knownUsers : undefined,
  })
}

/**
 * Records a callback that belongs to no login under way at a provider, but only from a browser that began a login (which has expired or was
 * already finished), and at most once a minute for each network. Any other such callback is made up.
 * @param callback.browserSecrets the secrets of the logins that the browser began
 */
export async function recordUnknownLogin(
  { browserSecrets, ...origin }: LoginOrigin & { browserSecrets: readonly string[] },
  method: string,
  deps: RecordingDeps,
): Promise<void> {
  if (!browserSecrets.some(isSecret)) return
  if (!deps.mayRecord([`unknown_login network ${networkOf(origin.ipAddress)}`])) return
  await recordLogin(origin, { userId: undefined, method, failure: 'unknown_login' }, deps)
}

/**
 * Lists login attempts for administrators, newest first.
 * @param request userId: an id that is not a UUID finds nothing
 * @throws Refusal invalid_request for a limit, cursor or filter that is invalid
 */
export async function listLogins(
  { cursor, limit, ...filter }: PageRequest & LoginFilter,
  store: Pick<LoginHistoryStore, 'list'>,
): Promise<MergeablePage<LoginAttempt>> {
  const most = checkLimit(limit)
  const after = readPosition(cursor)
  const { userId, clientId: client_id, ipAddress: ip_address } = filter
  for (const [name, value] of Object.entries({ client_id, ip_address }))
    if (value !== undefined && !isStorable(value)) throw new Refusal('invalid_request', `${name} is invalid.`)
  const known = userId === undefined || isUuid(userId)
  const found = known ? await store.list(filter, after, most + 1) : []
  return mergeablePageOf(found, most)
}

/**
 * Counts the logins that succeeded and failed in each period, oldest first. Periods without logins are left out.
 * @param since a moment of the first period; undefined: as far back as usage is counted by that period
 * @param stepSeconds 60, 3600 or 86400; 0 means 60
 * @throws Refusal invalid_request for another length
 */
export async function countLogins(
  { since, stepSeconds }: { since: Date | undefined; stepSeconds: number },
  store: Pick<LoginHistoryStore, 'countSince'>,
): Promise<LoginsOfPeriod[]> {
  const step = usageStepOf(stepSeconds)
  if (step === undefined) throw new Refusal('invalid_request', 'step_seconds must be 60, 3600 or 86400.')
  return store.countSince(since ?? new Date(0), step)
}

function readPosition(cursor: string | undefined): LoginPosition | undefined {
  const key = readCursor(cursor, 2)
  if (key === undefined) return undefined
  const [microseconds = '', id = ''] = key
  // 16 digits are enough until the year 2286.
  if (!/^\d{1,16}$/.test(microseconds) || !isUuid(id))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  return { microseconds, id }
}
