import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import type { UserByName, UserStore } from '../../users/user.ts'
import { adminRoleSql, roleColumns } from '../admin-roles.ts'
import { demandedSql } from '../second-factors.ts'

type UserRow = Omit<UserByName, 'passwordHash'> & { passwordHash: string | null }

// Prisma's case-insensitive comparison would treat the name as a pattern and would not use the index. A name comes before the same
// text as an address, which finds a user only if it is verified and no other user has it.
const findSql = (policy: FactorPolicy) => `
  with named as (select * from identity.users where lower(username) = lower($1)),
  addressed as (
    select * from identity.users
    where $1 like '%@%' and lower(attributes ->> 'email') = lower($1)
      and attributes -> 'email_verified' = 'true'::jsonb and not exists (select from named)
    limit 2
  )
  select u.id, u.username, u.password_hash as "passwordHash", ${adminRoleSql('u')} as "adminRole",
    u.disabled_at is not null as disabled, ${demandedSql('u', policy)} as "secondFactorDemanded"
  from (
    select * from named union all select * from addressed where (select count(*) from addressed) = 1
  ) u`

/** The users in PostgreSQL. @param policy OAUTH2_MFA */
export function createUserStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  policy: FactorPolicy,
): UserStore {
  const find = { name: 'find_user_by_name', text: findSql(policy) }
  return {
    async findByName(username) {
      const { rows } = await translateDatabaseErrors(pool.query<UserRow>({ ...find, values: [username] }))
      const [row] = rows
      return row && { ...row, passwordHash: row.passwordHash ?? undefined }
    },

    async add({ id, username, passwordHash, adminRole }) {
      const { count } = await translateDatabaseErrors(
        prisma.user.createMany({
          data: [{ id, username, passwordHash: passwordHash ?? null, ...roleColumns(adminRole) }],
          skipDuplicates: true,
        }),
      )
      return count === 1
    },

    async rehash({ id, checkedHash, newHash }) {
      const { count } = await translateDatabaseErrors(
        prisma.user.updateMany({
          where: { id, passwordHash: checkedHash },
          data: { passwordHash: newHash },
        }),
      )
      return count === 1
    },
  }
}
