import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import { isStorable } from '@gatehouse/kit/storable'
import type { MinuteLimit } from './minute-limit.ts'
import { keptIpAddress, keptUserAgent, storable } from './text.ts'

/** An attempt to log in, as it is kept for 30 days. */
export type LoginAttempt = {
  /** A UUIDv7: its order is the order in time. */
  id: string
  at: Date
  /** undefined, as the name: what was typed is nobody's name. It is not kept, since it may be a password. */
  userId: string | undefined
  /** The user's name at the time. */
  username: string | undefined
  /** The client that the login was for, or that used the password grant; empty: none. */
  clientId: string
  ipAddress: string
  /** As the browser named itself; empty: it did not, or there was none. */
  userAgent: string
  /** password, password_grant, or the name of a social provider. */
  method: string
  /** Why it failed, as the event user_authentication_failed says it; empty: it succeeded. */
  failure: string
}

/** An attempt that is to be kept. The store adds the user's name. */
export type NewLoginAttempt = Omit<LoginAttempt, 'id' | 'at' | 'username'>

/** Which attempts a list has: those to which all of this applies. */
export type LoginFilter = {
  /** undefined: of everybody, also of nobody. */
  userId: string | undefined
  /** Empty: for any client, and for none. */
  clientId: string
  /** Empty: from anywhere. */
  ipAddress: string
  /** undefined: both. */
  outcome: 'succeeded' | 'failed' | undefined
  /** From this moment on, and before that one; undefined: of any time. */
  since?: Date | undefined
  until?: Date | undefined
}

/** Where an attempt stands in the list. */
export type LoginPosition = {
  /** When it was made, in microseconds since the Unix epoch, as decimal digits. */
  microseconds: string
  id: string
}

/** How many logins succeeded and failed in a minute. */
export type LoginsOfMinute = {
  /** When the minute began. */
  time: Date
  succeeded: number
  failed: number
}

/** Where login attempts are kept. */
export type LoginHistoryStore = {
  /** Keeps an attempt, with the name that the user has. A user who was deleted meanwhile is left out. */
  add(attempt: NewLoginAttempt): Promise<void>
  /**
   * The newest first. The key of each is its position: microseconds and id.
   * @param after the position after which the list goes on; undefined: from the newest
   * @param limit how many at most
   */
  list(filter: LoginFilter, after: LoginPosition | undefined, limit: number): Promise<Keyed<LoginAttempt>[]>
  /** From the minute of this moment on, but at most the last 31 days; the oldest first, without empty minutes. */
  countByMinute(since: Date): Promise<LoginsOfMinute[]>
}

/** What recording attempts needs. */
export type RecordingDeps = {
  loginHistory: Pick<LoginHistoryStore, 'add'>
  /** Limits what is recorded of attempts that anybody can make by the thousand. */
  mayRecord: MinuteLimit
}

/** Where an attempt comes from, and which client it is for. */
export type LoginOrigin = { ipAddress: string; userAgent?: string; clientId?: string }

/** The most that is kept of a client id, in units of a JS string. */
const longestClientId = 255

/**
 * Keeps an attempt. Call it before the answer is given, so that none is missing.
 * @param result userId: undefined where what was typed is nobody's name; failure: empty where the login succeeded
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function recordLogin(
  { ipAddress, userAgent = '', clientId = '' }: LoginOrigin,
  result: Pick<NewLoginAttempt, 'userId' | 'method' | 'failure'>,
  { loginHistory }: Pick<RecordingDeps, 'loginHistory'>,
): Promise<void> {
  await loginHistory.add({
    ...result,
    clientId: storable(clientId.slice(0, longestClientId)),
    ipAddress: keptIpAddress(ipAddress),
    userAgent: keptUserAgent(userAgent),
  })
}

/**
 * Login attempts for administrators, the newest first.
 * @param request userId: empty: of everybody; one that is no UUID finds nothing
 * @throws Refusal invalid_request for a limit, cursor or filter that is invalid
 */
export async function listLogins(
  { cursor, limit, userId, ...filter }: PageRequest & LoginFilter & { userId: string },
  store: Pick<LoginHistoryStore, 'list'>,
): Promise<Page<LoginAttempt>> {
  const most = checkLimit(limit)
  const after = readPosition(cursor)
  if (!isStorable(filter.clientId)) throw new Refusal('invalid_request', 'client_id is invalid.')
  if (!isStorable(filter.ipAddress)) throw new Refusal('invalid_request', 'ip_address is invalid.')
  if (userId !== '' && !isUuid(userId)) return { items: [], nextCursor: '' }
  return pageOf(await store.list({ ...filter, userId: userId || undefined }, after, most + 1), most)
}

/**
 * How many logins succeeded and failed in each minute, the oldest first; minutes without any are left out.
 * @param since from the minute of this moment on, but at most the last 31 days
 */
export function countLogins(
  since: Date,
  store: Pick<LoginHistoryStore, 'countByMinute'>,
): Promise<LoginsOfMinute[]> {
  return store.countByMinute(since)
}

function readPosition(cursor: string): LoginPosition | undefined {
  const key = readCursor(cursor, 2)
  if (key === undefined) return undefined
  const [microseconds = '', id = ''] = key
  // 16 digits are enough until the year 2286.
  if (!/^\d{1,16}$/.test(microseconds) || !isUuid(id))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  return { microseconds, id }
}
