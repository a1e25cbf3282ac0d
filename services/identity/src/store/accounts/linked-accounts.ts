import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import type { LinkedAccountStore } from '../../accounts/administrator-recovery.ts'
import { endAuthority } from '../authority-ends.ts'
import type { EndConnectionLogins } from '../connection-ends.ts'
import { takeGrants } from '../connections/mapped-grants.ts'
import { lockUsers } from '../groups/locked-groups.ts'
import { createEndSessions } from '../session-ends.ts'

/**
 * The accounts elsewhere by which users log in, in PostgreSQL.
 * @param options recorded: whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createLinkedAccountStore(
  database: Pick<Database, 'prisma'>,
  {
    keepEvent,
    endLogins,
    recorded,
  }: { keepEvent: KeepEvent; endLogins: EndConnectionLogins; recorded: boolean },
): LinkedAccountStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)
  const endSessions = createEndSessions(recorded)
  return {
    removeAll: (userId, actor) =>
      audited(async (transaction, write) => {
        await lockUsers(transaction, [userId], 'against other groups')
        const where = { userId }
        const links = await transaction.connectionLink.findMany({ where, orderBy: { connectionId: 'asc' } })
        const social = await transaction.socialAccount.findMany({ where, orderBy: { provider: 'asc' } })
        if (links.length + social.length === 0) return []
        await transaction.connectionLink.deleteMany({ where })
        await transaction.socialAccount.deleteMany({ where })
        const connectionIds = [...new Set(links.map(({ connectionId }) => connectionId))]
        const keys: string[] = []
        for (const connectionId of connectionIds)
          keys.push(...(await takeGrants(transaction, { connectionId, userId })))
        for (const { connectionId, issuer, subject } of links) {
          const before = { user_id: userId, issuer, subject }
          await write({ actor, action: 'connection.link.remove', target: connectionId, before })
        }
        if (social.length > 0) {
          const before = { providers: social.map(({ provider }) => provider) }
          await write({ actor, action: 'user.social_accounts.remove', target: userId, before })
        }
        // All sessions at once, so that they are locked in one order.
        const { revocationIds } = await endSessions(transaction, { userId })
        const endedIds: bigint[] = []
        for (const connectionId of connectionIds)
          endedIds.push(...(await endLogins(transaction, { connectionId, userId })))
        return [...revocationIds, ...endedIds, ...(await endAuthority(transaction, [...new Set(keys)]))]
      }),
  }
}
