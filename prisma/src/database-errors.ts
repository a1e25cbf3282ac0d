import { showDatabaseUrl } from './database-url.ts'

/** What the system, Prisma (P…) and its driver adapter (kinds) call a database that is away. */
const unavailableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  ...['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037'],
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
])

/**
 * PostgreSQL: connection exception, too few resources, shutting down or starting, cancelled by statement_timeout or
 * another limit of time, read-only (connected to a standby while a new primary is found).
 */
const unavailableStates = /^(08...|53...|57P0[123]|57014|25P0[34]|25006)$/

/** What node-postgres says without giving a code. */
const unavailableMessages = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
]

/** Prisma's P2028 is any trouble with a transaction, a mistake in our code too; these two are a lack of time. */
const slowTransaction = /Unable to start a transaction in the given time|on an expired transaction/

/** Data exceptions and violated constraints. */
const badInputStates = /^2[23]...$/

/**
 * Whether an error means that the database is away for now (or too busy to answer in time), so that the caller may
 * say "try again later". Understands the errors of node-postgres and of Prisma.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return some(error, ({ codes, message }) => {
    // A message is looked at only where there is no code to go by: PostgreSQL's quote what the caller sent.
    if (codes.length === 0) return unavailableMessages.some((text) => message.startsWith(text))
    if (codes.includes('P2028')) return slowTransaction.test(message)
    return codes.some((code) => unavailableCodes.has(code) || unavailableStates.test(code))
  })
}

/**
 * Whether the data of a statement is at fault (SQLSTATE class 22, data exception, or 23, integrity constraint
 * violation), so that the same statement with other data may succeed: a batch is worth splitting. A missing
 * partition is not such a fault, though PostgreSQL gives it a number of that class.
 */
export function isBadInput(error: unknown): boolean {
  return (
    !isMissingPartition(error) && some(error, ({ codes }) => codes.some((code) => badInputStates.test(code)))
  )
}

/** Whether a row had no partition to go to, so that making one helps. For errors of node-postgres (`pool.query`). */
export function isMissingPartition(error: unknown): boolean {
  // The number is that of every violated check, and the message depends on the server's language.
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '23514' && routine === 'ExecFindPartition'
}

/** Why a connection could not be made, in one line for a person: where to, what happened, what to do. */
export function describeConnectionFailure(error: unknown, databaseUrl: string): string {
  let reason = 'no reason given'
  some(error, ({ message }) => {
    if (message !== '') reason = message
    return message !== ''
  })
  const where = showDatabaseUrl(databaseUrl)
  return `cannot connect to the database ${where}: ${reason}; is it running, and is OAUTH2_DATABASE_URL right?`
}

interface Facts {
  codes: string[]
  message: string
}

/**
 * Looks at an error and at all that it wraps: Node has an AggregateError when a host has two addresses, Prisma its
 * own error → meta.driverAdapterError → cause, which is a plain object with kind, code or originalCode.
 */
function some(error: unknown, test: (facts: Facts) => boolean, depth = 0): boolean {
  if (typeof error !== 'object' || error === null || depth > 5) return false
  const { code, originalCode, kind, message, cause, meta, errors, driverAdapterError } = error as Record<
    string,
    unknown
  >
  const codes = [code, originalCode, kind].filter((value) => typeof value === 'string')
  if (test({ codes, message: typeof message === 'string' ? message : '' })) return true
  const inner = [cause, meta, driverAdapterError, ...(Array.isArray(errors) ? errors : [])]
  return inner.some((value) => some(value, test, depth + 1))
}
