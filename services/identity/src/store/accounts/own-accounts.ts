import { auditedTransactions } from '@gatehouse/data/audit'
import type { Actor } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/events/emission'
import type { Database } from '@gatehouse/prisma/database'
import type { OwnAccountStore } from '../../accounts/own-account.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { attributesOf } from '../../users/user-attributes.ts'
import { createEndAccess } from '../access-ends.ts'
import { lockChangingUser } from '../factors/factor-owners.ts'
import type { MailWriter } from '../mail/mails.ts'
import { deleteLockedUser, isLast, lockOwners, lockUser } from '../users/user-deletion.ts'

/**
 * Creates the store for people's work with their own accounts, in PostgreSQL.
 * @param recorded whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createOwnAccountStore(
  database: Pick<Database, 'prisma'>,
  { recorded, policy, mails }: { recorded: boolean; policy: FactorPolicy; mails: MailWriter },
): OwnAccountStore {
  // These are not the actions of administrators, of which an event would tell.
  const audited = auditedTransactions(database, 'identity', emitNothing)
  const endAccess = createEndAccess(recorded)

  return {
    recordDownload: (owner, ipAddress) =>
      audited(async (transaction, write) => {
        const { userId } = (await lockChangingUser(transaction, owner, policy)) ?? {}
        const user = userId === undefined ? undefined : await lockUser(transaction, userId)
        if (userId === undefined || user === undefined) return 'not allowed'
        const actor = actorOf(userId, user.username, ipAddress)
        await write({ actor, action: 'user.data.download', target: userId })
        return { userId }
      }),

    delete: (owner, { ipAddress, language }) =>
      audited(async (transaction, write) => {
        const owners = await lockOwners(transaction)
        const { userId } = (await lockChangingUser(transaction, owner, policy)) ?? {}
        const user = userId === undefined ? undefined : await lockUser(transaction, userId)
        if (userId === undefined || user === undefined) return 'not allowed'
        if (isLast(userId, owners)) return 'last owner'
        const { before, revocationIds } = await deleteLockedUser(transaction, userId, user, endAccess)
        const actor = actorOf(userId, user.username, ipAddress)
        await write({ actor, action: 'user.delete', target: userId, before })
        const { email, email_verified: verified, locale, zoneinfo } = attributesOf(user.attributes)
        if (email !== undefined && verified)
          await mails.toAddress(transaction, {
            kind: 'account_deleted',
            // The account's mails are gone. This one is to nobody's account.
            userId: undefined,
            recipient: email,
            language: locale ?? language,
            content: { username: user.username, at: Date.now(), timeZone: zoneinfo ?? 'UTC' },
          })
        return { userId, revocationIds }
      }),
  }
}

function actorOf(id: string, name: string, ipAddress: string): Actor {
  return { kind: 'user', id, name, ipAddress }
}
