import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import { createInsideStore } from '../organizations/inside.ts'
import { createGroupChangeStore } from './group-changes.ts'
import { createGroupMemberStore } from './group-members.ts'
import { createGroupStore } from './groups.ts'

/** Everything that is stored of groups. */
export function groupStores(database: Pick<Database, 'pool' | 'prisma'>, keepEvent: KeepEvent) {
  return {
    groups: createGroupStore(database),
    changes: createGroupChangeStore(database, keepEvent),
    members: createGroupMemberStore(database, keepEvent),
    inside: createInsideStore(database),
  }
}
