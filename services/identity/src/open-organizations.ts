import type { Election } from '@gatehouse/data/election'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Implementation } from '@gatehouse/kit/rpc/rpc-server'
import { type RepeatContext, repeat } from '@gatehouse/kit/time/repeat'
import type { Database } from '@gatehouse/prisma/database'
import { createEmptying } from './organizations/organization-emptying.ts'
import { type OrganizationRpcDeps, organizationRpcs } from './rpc/organization-rpc.ts'
import { organizationStores } from './store/organizations/organization-stores.ts'

/** In milliseconds: the pause between two looks for organizations that were deleted and are not empty. */
const lookEvery = 5_000

/** The services about organizations. The elected replica empties those that were deleted. */
export function openOrganizations(
  context: RepeatContext,
  database: Pick<Database, 'pool' | 'prisma'>,
  {
    keepEvent,
    recorded,
    election,
    ...deps
  }: Pick<OrganizationRpcDeps, 'users' | 'deliver'> & {
    keepEvent: KeepEvent
    recorded: boolean
    election: Pick<Election, 'isElected'>
  },
): Implementation[] {
  const { emptying, ...stores } = organizationStores(database, { keepEvent, recorded })
  const empty = createEmptying({ emptying, isElected: election.isElected, deliver: deps.deliver })
  repeat(context, 'emptying deleted organizations', lookEvery, empty)
  return [organizationRpcs({ ...stores, ...deps })]
}
