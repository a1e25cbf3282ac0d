import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import { createMemberStore } from './members.ts'
import { createMembershipStore } from './memberships.ts'
import { createOrganizationChangeStore } from './organization-changes.ts'
import { createOrganizationStore } from './organizations.ts'

/** Everything that is stored of organizations and their members. */
export function organizationStores(database: Pick<Database, 'pool' | 'prisma'>, keepEvent: KeepEvent) {
  return {
    organizations: createOrganizationStore(database),
    changes: createOrganizationChangeStore(database, keepEvent),
    members: createMemberStore(database, keepEvent),
    memberships: createMembershipStore(database),
  }
}
