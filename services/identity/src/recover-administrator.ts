import { randomBytes, randomUUID } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { createNameClaims } from '@gatehouse/data/name-claims'
import { createEventKeeping, type KeepEvent, keepNothing } from '@gatehouse/data/pending-events'
import type { Actor } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { type EmissionConfig, emittedTypes } from '@gatehouse/kit/events/emission-variables'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { requireDatabaseUrl, showDatabaseUrl } from '@gatehouse/prisma/database-url'
import {
  type AdministratorRecovery,
  type RecoveredAdministrator,
  recoverAdministrator,
} from './accounts/administrator-recovery.ts'
import { createPasswordHashing } from './passwords/password.ts'
import { createLinkedAccountStore } from './store/accounts/linked-accounts.ts'
import { createEndConnectionLogins } from './store/connection-ends.ts'
import { createFactorChangeStore } from './store/factors/factor-changes.ts'
import { forgetFailures } from './store/logins/login-failures.ts'
import { mailWriter, noMails } from './store/mail/mails.ts'
import { createUserChangeStore } from './store/users/user-changes.ts'
import { createUserStore } from './store/users/users.ts'

/** The actor who recovers an administrator, for the audit log: anybody who may run programs on this machine. */
function operator(): Actor {
  return { kind: 'user', id: 'command-line', name: `${systemUser()} on ${hostname()}`, ipAddress: '' }
}

/** A container's user need not have a name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? ''}`.trim()
  }
}

/**
 * Recovers an administrator in the database at OAUTH2_DATABASE_URL, without any service. The services that run learn within seconds
 * whose sessions and tokens have ended.
 * @param environment OAUTH2_SMTP_URL or OAUTH2_MAIL_DIRECTORY: then the user is told by mail
 * @throws ConfigurationError without a database URL; Refusal for a name or password that breaks the rules;
 *   Error when the database does not answer
 */
export async function recoverAdministratorIn(
  environment: NodeJS.ProcessEnv,
  recovery: AdministratorRecovery,
): Promise<RecoveredAdministrator> {
  const databaseUrl = requireDatabaseUrl(environment)
  const database = openDatabase({ databaseUrl, applicationName: 'gatehouse-recovery', poolSize: 2 })
  try {
    await reach(database, databaseUrl)
    const mailsOn = Boolean(
      environment.OAUTH2_SMTP_URL || environment.OAUTH2_SMTP_URL_FILE || environment.OAUTH2_MAIL_DIRECTORY,
    )
    const emit = emitNothing
    const stored = {
      keepEvent: eventKeepingOf(environment),
      recorded: true,
      policy: 'optional',
      mails: mailsOn ? mailWriter : noMails,
    } as const
    return await recoverAdministrator(recovery, operator(), {
      users: createUserStore(database, stored.policy),
      store: createUserChangeStore(database, stored),
      // No service need run, and whoever may run this decides: the client registry is not asked.
      names: createNameClaims(database, 'identity', async () => []),
      factors: createFactorChangeStore(database, stored),
      linkedAccounts: createLinkedAccountStore(database, {
        ...stored,
        endLogins: createEndConnectionLogins(stored.recorded),
      }),
      forgetFailures: (username) => forgetFailures(database, username),
      hashing: createPasswordHashing(),
      randomUuid: randomUUID,
      randomBytes,
      emit,
      // The pending revocations are stored; the services deliver them.
      deliver: async () => undefined,
    })
  } finally {
    await database.close()
  }
}

/** How events are stored until the services send them: as OAUTH2_EVENTS_* say. @throws ConfigurationError for an unknown type */
function eventKeepingOf({ OAUTH2_EVENTS_ENABLED: enabled, ...environment }: NodeJS.ProcessEnv): KeepEvent {
  if (enabled !== 'true') return keepNothing
  const mode = { OAUTH2_EVENTS_FILTER_MODE: 'allow_all', ...environment } as EmissionConfig
  return createEventKeeping('identity', emittedTypes(mode))
}

/** @throws Error that says which database does not answer, and why */
async function reach(database: Pick<Database, 'ping'>, databaseUrl: string): Promise<void> {
  try {
    await database.ping()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The database at ${showDatabaseUrl(databaseUrl)} does not answer: ${reason}`)
  }
}
