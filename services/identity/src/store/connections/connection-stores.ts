import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import type { EndConnectionLogins } from '../connection-ends.ts'
import { createConnectionChangeStore } from './connection-changes.ts'
import { createConnectionStore } from './connections.ts'
import { createLinkStore } from './links.ts'

/** Everything that is stored of connections and their links. */
export function connectionStores(
  database: Pick<Database, 'pool' | 'prisma'>,
  how: { keepEvent: KeepEvent; endLogins: EndConnectionLogins; policy: FactorPolicy },
) {
  return {
    connections: createConnectionStore(database),
    connectionChanges: createConnectionChangeStore(database, how),
    links: createLinkStore(database, how),
  }
}
