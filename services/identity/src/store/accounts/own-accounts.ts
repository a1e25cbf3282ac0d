import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Actor } from '@gatehouse/kit/actor'
import type { Database } from '@gatehouse/prisma/database'
import type { OwnAccountStore } from '../../accounts/own-account.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { attributesOf } from '../../users/user-attributes.ts'
import { createEndAccess } from '../access-ends.ts'
import { lockChangingUser } from '../factors/factor-owners.ts'
import type { MailWriter } from '../mail/mails.ts'
import { lastOwnedBy } from '../organizations/last-owned.ts'
import { deleteLockedUser, isLast, lockOwners, lockUser } from '../users/user-deletion.ts'

/**
 * Creates the store for people's work with their own accounts, in PostgreSQL.
 * @param recorded whether the token service must be told of sessions that end: where OpenID Connect is on
 * @param organizations whether people run organizations, so that they can hand them on
 */
export function createOwnAccountStore(
  database: Pick<Database, 'prisma'>,
  {
    keepEvent,
    recorded,
    policy,
    mails,
    organizations,
  }: {
    keepEvent: KeepEvent
    recorded: boolean
    policy: FactorPolicy
    mails: MailWriter
    organizations: boolean
  },
): OwnAccountStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)
  const endAccess = createEndAccess(recorded)

  return {
    recordDownload: (owner, caller) =>
      audited(async (transaction, write) => {
        const { userId } = (await lockChangingUser(transaction, owner, policy)) ?? {}
        const user = userId === undefined ? undefined : await lockUser(transaction, userId)
        if (userId === undefined || user === undefined) return 'not allowed'
        const actor: Actor = { kind: 'user', id: userId, name: user.username, ...caller }
        const event = { type: 'data_downloaded', content: { userId, metadata: {} } } as const
        await write({ actor, action: 'user.data.download', target: userId, event })
        return { userId }
      }),

    delete: (owner, { language, ...caller }) =>
      audited(async (transaction, write) => {
        const owners = await lockOwners(transaction)
        const { userId } = (await lockChangingUser(transaction, owner, policy)) ?? {}
        // Against those who would hold on to the user while they wait for an organization that the user owns.
        const user = userId === undefined ? undefined : await lockUser(transaction, userId, 'for deletion')
        if (userId === undefined || user === undefined) return 'not allowed'
        if (isLast(userId, owners)) return 'last owner'
        const ownedOrganization = organizations ? await lastOwnedBy(transaction, userId) : undefined
        if (ownedOrganization !== undefined) return { ownedOrganization }
        const { before, revocationIds } = await deleteLockedUser(transaction, userId, user, endAccess)
        const actor: Actor = { kind: 'user', id: userId, name: user.username, ...caller }
        const event = { type: 'account_deleted', content: { userId, metadata: {} } } as const
        await write({ actor, action: 'user.delete', target: userId, before, event })
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
