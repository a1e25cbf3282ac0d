import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { createCodeCounter } from '../code-counters.ts'
import type { MailWriter } from '../mail/mails.ts'
import { createAuthenticatorAppStore } from './authenticator-apps.ts'
import { createFactorChangeStore } from './factor-changes.ts'
import { createFactorListStore } from './factor-list.ts'
import { createFactorOwnerStore } from './factor-owners.ts'
import { createPasskeyStore } from './passkeys.ts'
import { createRecoveryCodeStore } from './recovery-codes.ts'
import { createWebauthnChallengeStore } from './webauthn-challenges.ts'

/** All stores of second factors, by the names of the needs that they are. */
export function factorStores(
  database: Pick<Database, 'pool' | 'prisma'>,
  rules: { keepEvent: KeepEvent; recorded: boolean; policy: FactorPolicy; mails: MailWriter },
) {
  return {
    apps: createAuthenticatorAppStore(database),
    codes: createCodeCounter(database),
    factors: createFactorChangeStore(database, rules),
    list: createFactorListStore(database),
    owners: createFactorOwnerStore(database),
    passkeys: createPasskeyStore(database),
    recoveryCodes: createRecoveryCodeStore(database, rules.mails),
    challenges: createWebauthnChallengeStore(database),
  }
}
