import { inTransaction } from '@gatehouse/data/in-transaction'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import type { EndingConnectionLogins } from '../../logins/connection-login.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import type { EndConnectionLogins } from '../connection-ends.ts'
import type { MailWriter } from '../mail/mails.ts'
import { createArrivalStore } from './arrivals.ts'
import { createConnectionChangeStore } from './connection-changes.ts'
import { createConnectionLoginStore } from './connection-logins.ts'
import { createConnectionStore } from './connections.ts'
import { createLinkStore } from './links.ts'
import { createLoginConnectionStore } from './login-connections.ts'
import { createOfferStore } from './offers.ts'

/** Everything that is stored of connections, their links and the logins by them. */
export function connectionStores(
  database: Pick<Database, 'pool' | 'prisma'>,
  how: { keepEvent: KeepEvent; endLogins: EndConnectionLogins; policy: FactorPolicy; mails: MailWriter },
) {
  return {
    connections: createConnectionStore(database),
    connectionChanges: createConnectionChangeStore(database, how),
    links: createLinkStore(database, how),
    loginConnections: createLoginConnectionStore(database),
    connectionLogins: createConnectionLoginStore(database, how.policy),
    arrivals: createArrivalStore(database, how),
    offers: createOfferStore(database),
    endLogins: (which: EndingConnectionLogins) =>
      inTransaction(database, (transaction) =>
        how.endLogins(transaction, which, async (userIds) => {
          const metadata = { connection_id: which.connectionId }
          for (const userId of userIds)
            await how.keepEvent(transaction, {
              type: 'connection_logins_ended',
              content: { userId, metadata },
            })
        }),
      ),
  }
}
