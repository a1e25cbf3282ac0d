import { inTransaction } from '@gatehouse/data/in-transaction'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import {
  attributesOf,
  type StoredAttributes,
  type UserAttributeStore,
  type UserClaims,
} from '../../users/user-attributes.ts'

// Prepared, because apps ask for every user who logs in to them.
const claimsQuery = {
  name: 'find_user_claims',
  text: `
    select id, username, attributes, attributes_updated_at as "updatedAt", address_vouched_by as "vouchedBy"
    from identity.users where id = any($1::uuid[]) and disabled_at is null`,
}

type ClaimsRow = Omit<UserClaims, 'vouchedBy'> & { vouchedBy: string | null }

/** The users' attributes in PostgreSQL. */
export function createUserAttributeStore({
  pool,
  prisma,
}: Pick<Database, 'pool' | 'prisma'>): UserAttributeStore {
  return {
    changeOwn: (secretDigest, decide) =>
      inTransaction({ prisma }, async (transaction) => {
        const [user] = await transaction.$queryRaw<{ id: string; attributes: StoredAttributes }[]>`
          select u.id, u.attributes from identity.sessions s join identity.users u on u.id = s.user_id
          where s.secret_digest = ${secretDigest} and s.expires_at > now() and u.disabled_at is null
          for no key update of u`
        if (user === undefined) return false
        await transaction.$executeRaw`
          update identity.users set attributes = new.attributes, attributes_updated_at = now(), updated_at = now()
          from (select ${JSON.stringify(decide(user.attributes))}::jsonb as attributes) new
          where id = ${user.id}::uuid and users.attributes <> new.attributes`
        return true
      }),

    async findClaims(userIds) {
      const { rows } = await translateDatabaseErrors(
        pool.query<ClaimsRow>({ ...claimsQuery, values: [userIds] }),
      )
      return rows.map(({ vouchedBy, ...row }) => ({
        ...row,
        attributes: attributesOf(row.attributes),
        ...(vouchedBy !== null && { vouchedBy }),
      }))
    },
  }
}
