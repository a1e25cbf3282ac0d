import { heldSql } from '@gatehouse/data/name-claims'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { SocialAccountStore, SocialUser } from '../../providers/social-login.ts'
import { adminRoleSql } from '../admin-roles.ts'

const findSql = `
  update identity.social_accounts a set display_name = $3 from identity.users u
  where a.provider = $1 and a.subject = $2 and u.id = a.user_id
  returning u.id, u.username, ${adminRoleSql('u')} as "adminRole", u.attributes`

const addSql = `
  with added as (
    insert into identity.users (id, username, attributes) select $1, $2, $6 where ${heldSql('identity', '$7')}
    on conflict do nothing returning id
  )
  insert into identity.social_accounts (provider, subject, user_id, display_name)
  select $3, $4, added.id, $5 from added`

// Of two equal keys, || takes the value on the right. A null there was an attribute that was removed.
/** Gives an active user, $1, the attributes $2. Those that they have, or had before, stay as they are. */
export const fillAttributesSql = `
  update identity.users set attributes = $2::jsonb || attributes, attributes_updated_at = now(), updated_at = now()
  where id = $1::uuid and disabled_at is null and attributes <> $2::jsonb || attributes`

/** PostgreSQL's error code for a duplicate key. */
const uniqueViolation = '23505'

/** The users' accounts at providers, in PostgreSQL. */
export function createSocialAccountStore({ pool }: Pick<Database, 'pool'>): SocialAccountStore {
  return {
    async find({ provider, subject, displayName }) {
      const { rows } = await translateDatabaseErrors(
        pool.query<SocialUser>(findSql, [provider, subject, displayName]),
      )
      return rows[0]
    },

    async fill(userId, attributes) {
      await translateDatabaseErrors(pool.query(fillAttributesSql, [userId, attributes]))
    },

    async add({ id, username, attributes }, { provider, subject, displayName }, reservation) {
      const values = [id, username, provider, subject, displayName, attributes, reservation]
      const adding = pool.query(addSql, values)
      const { rowCount } = await translateDatabaseErrors(adding).catch((error) => {
        // The account got a user meanwhile. The statement failed as a whole, so this user was not added either.
        if ((error as { code?: unknown }).code === uniqueViolation) return { rowCount: 0 }
        throw error
      })
      return rowCount === 1
    },
  }
}
