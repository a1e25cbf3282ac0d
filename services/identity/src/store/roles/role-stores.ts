import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import { createAuthorityStore } from './authorities.ts'
import { createRoleAssignmentStore } from './role-assignments.ts'

/** Everything that is stored of the roles of users and groups. */
export function roleStores(database: Pick<Database, 'pool' | 'prisma'>, keepEvent: KeepEvent) {
  return {
    assignments: createRoleAssignmentStore(database, keepEvent),
    authorities: createAuthorityStore(database),
  }
}
