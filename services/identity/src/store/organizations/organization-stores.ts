import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database } from '@gatehouse/prisma/database'
import { createEndOrganizationLogins } from '../connection-ends.ts'
import { createMemberStore } from './members.ts'
import { createMembershipStore } from './memberships.ts'
import { createOrganizationChangeStore } from './organization-changes.ts'
import { createOrganizationEmptyingStore } from './organization-deletions.ts'
import { createOrganizationStore } from './organizations.ts'

/**
 * Everything that is stored of organizations and their members.
 * @param options recorded: whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function organizationStores(
  database: Pick<Database, 'pool' | 'prisma'>,
  options: { keepEvent: KeepEvent; recorded: boolean },
) {
  return {
    organizations: createOrganizationStore(database),
    changes: createOrganizationChangeStore(database, options),
    emptying: createOrganizationEmptyingStore(database, createEndOrganizationLogins(options.recorded)),
    members: createMemberStore(database, options),
    memberships: createMembershipStore(database),
  }
}
