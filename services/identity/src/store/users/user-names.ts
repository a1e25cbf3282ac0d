import { createTakenNames } from '@gatehouse/data/name-claims'
import type { Database } from '@gatehouse/prisma/database'

const uuid = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** Finds the names, ignoring case, and ids that users have or are about to have. */
export function userNames(database: Pick<Database, 'pool'>): (names: readonly string[]) => Promise<string[]> {
  return createTakenNames(
    database,
    'identity',
    `(
      exists (select from identity.users where lower(username) = k.name)
      or exists (select from identity.users where id = case when k.name ~ '${uuid}' then k.name::uuid end)
    )`,
  )
}
