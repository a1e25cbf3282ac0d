import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { SocialAccountStore } from '../social-login.ts'
import type { PublicUser } from '../user.ts'

const findSql = `
  update identity.social_accounts a set display_name = $3 from identity.users u
  where a.provider = $1 and a.subject = $2 and u.id = a.user_id
  returning u.id, u.username, u.is_admin as admin`

const addSql = `
  with added as (
    insert into identity.users (id, username) values ($1, $2) on conflict do nothing returning id
  )
  insert into identity.social_accounts (provider, subject, user_id, display_name)
  select $3, $4, added.id, $5 from added`

/** PostgreSQL's error code for a duplicate key. */
const uniqueViolation = '23505'

/** The users' accounts at providers, in PostgreSQL. */
export function createSocialAccountStore({ pool }: Pick<Database, 'pool'>): SocialAccountStore {
  return {
    async find({ provider, subject, displayName }) {
      const { rows } = await translateDatabaseErrors(
        pool.query<PublicUser>(findSql, [provider, subject, displayName]),
      )
      return rows[0]
    },

    async add({ id, username }, { provider, subject, displayName }) {
      const adding = pool.query(addSql, [id, username, provider, subject, displayName])
      const { rowCount } = await translateDatabaseErrors(adding).catch((error) => {
        // The account got a user meanwhile. The statement failed as a whole, so this user was not added either.
        if ((error as { code?: unknown }).code === uniqueViolation) return { rowCount: 0 }
        throw error
      })
      return rowCount === 1
    },
  }
}
