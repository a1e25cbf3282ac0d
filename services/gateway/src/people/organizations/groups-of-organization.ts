import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { localSource } from '@gatehouse/proto/groups'
import type { Group, IdentityServiceService } from '@gatehouse/proto/identity/v1'

/** The needs of looking up groups. */
export type GroupsDeps = { identity: Pick<RpcClient<typeof IdentityServiceService>, 'listGroups'> }

const atOnce = 200
/** More than these nobody finds in a list to choose from. */
const most = 1_000

/** The groups of an organization by name, 1000 at most, but those that a directory alone changes. */
export async function groupsToGive(organizationId: string, { identity }: GroupsDeps): Promise<Group[]> {
  const found: Group[] = []
  let cursor: string | undefined
  do {
    const page = await identity.listGroups({ organizationId, cursor, limit: atOnce, filters: {} })
    found.push(...page.groups)
    cursor = page.nextCursor
  } while (cursor !== undefined && found.length < most)
  return found.filter(({ source }) => source === localSource)
}
