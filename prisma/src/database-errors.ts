import { showDatabaseUrl } from './database-url.ts'
import { isTlsCode } from './tls-errors.ts'

/** The codes of the system, of Prisma (P…) and of its driver adapter (kinds) for a database that is away. */
const unavailableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
  ...['P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2037'],
  ...[
    'AuthenticationFailed',
    'DatabaseNotReachable',
    'ConnectionClosed',
    'SocketTimeout',
    'TooManyConnections',
    'TlsConnectionError',
  ],
])

/** PostgreSQL's code for a right that the role lacks. */
export const insufficientPrivilege = '42501'

/**
 * PostgreSQL's codes: connection exception, login refused (its password is being changed), insufficient resources, shutting down
 * or starting, cancelled by statement_timeout or another time limit, read-only (connected to a standby during a failover), ended
 * because of a deadlock, without tables (the migrations have not run yet) or without the right to use them.
 */
const unavailableStates = /^(08...|28...|53...|57P0[123]|57014|25P0[34]|25006|40P01|3F000|42P01|42501)$/

/** The messages of node-postgres for errors without a code. */
const unavailableMessages = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  'Query read timeout',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
]

/** Prisma's P2028 covers every transaction error, including mistakes in our code; only these two mean a timeout. */
const slowTransaction = /Unable to start a transaction in the given time|on an expired transaction/

/** Data exceptions and violated constraints. */
const badInputStates = /^2[23]...$/

/**
 * Whether an error means that the database is away (or too busy to answer in time), so that the caller may answer "try again
 * later". Understands the errors of node-postgres and of Prisma.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  return some(error, ({ codes, message }) => {
    // Only errors without a code are judged by their message: PostgreSQL's messages quote what the caller sent.
    if (codes.length === 0) return unavailableMessages.some((text) => message.startsWith(text))
    if (codes.includes('P2028')) return slowTransaction.test(message)
    return codes.some((code) => unavailableCodes.has(code) || unavailableStates.test(code) || isTlsCode(code))
  })
}

/**
 * Whether a statement failed because of its data (SQLSTATE class 22, data exception, or 23, integrity constraint violation),
 * so that the same statement with other data may succeed and a batch is worth splitting. A missing partition does not count,
 * although its SQLSTATE is in that class.
 */
export function isBadInput(error: unknown): boolean {
  return (
    !isMissingPartition(error) && some(error, ({ codes }) => codes.some((code) => badInputStates.test(code)))
  )
}

/** Whether a statement failed because a text in it is none that PostgreSQL can store: it has a NUL or half of a character. */
export function isUnstorableText(error: unknown): boolean {
  return some(error, ({ codes }) => codes.includes('22021'))
}

/** Whether a row's partition is missing, so that making it helps. For errors of node-postgres (`pool.query`). */
export function isMissingPartition(error: unknown): boolean {
  // Every violated check has this code, and the message depends on the server's language.
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  return code === '23514' && routine === 'ExecFindPartition'
}

/** Explains a failed connection in one line: the address, the reason, and what to check. */
export function describeConnectionFailure(error: unknown, databaseUrl: string): string {
  let reason = 'no reason given'
  some(error, ({ message }) => {
    if (message !== '') reason = message
    return message !== ''
  })
  const where = showDatabaseUrl(databaseUrl)
  // These say themselves what to do.
  if (/\bsslmode=|\bsslrootcert|\bsslcert=/.test(reason)) {
    return `cannot connect to the database ${where}: ${reason}`
  }
  return `cannot connect to the database ${where}: ${reason}; is it running, and is OAUTH2_DATABASE_URL right?`
}

interface Facts {
  codes: string[]
  message: string
}

/**
 * Tests an error and all errors that it wraps. Node throws an AggregateError when a host has two addresses. Prisma's error
 * has meta.driverAdapterError → cause, which is a plain object with kind, code or originalCode.
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
