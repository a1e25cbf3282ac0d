import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Implementation } from '@gatehouse/kit/rpc/rpc-server'
import type { Database } from '@gatehouse/prisma/database'
import { type OrganizationRpcDeps, organizationRpcs } from './rpc/organization-rpc.ts'
import { organizationStores } from './store/organizations/organization-stores.ts'

/** The services about organizations. */
export function openOrganizations(
  database: Pick<Database, 'pool' | 'prisma'>,
  {
    keepEvent,
    recorded,
    ...deps
  }: Pick<OrganizationRpcDeps, 'users' | 'deliver'> & { keepEvent: KeepEvent; recorded: boolean },
): Implementation[] {
  return [organizationRpcs({ ...organizationStores(database, { keepEvent, recorded }), ...deps })]
}
