import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { InsideStore } from '../../organizations/inside.ts'

/** The members of organizations in PostgreSQL, for groups and roles. */
export function createInsideStore({ prisma }: Pick<Database, 'prisma'>): InsideStore {
  return {
    exists: async (organizationId) =>
      (await translateDatabaseErrors(
        prisma.organization.count({ where: { organizationId, deletedAt: null } }),
      )) > 0,
    hasMember: async (organizationId, userId) =>
      (await translateDatabaseErrors(
        prisma.organizationMember.count({ where: { organizationId, userId } }),
      )) > 0,
  }
}
