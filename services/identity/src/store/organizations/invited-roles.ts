import { randomUUIDv7 } from 'node:crypto'
import type { Prisma } from '@gatehouse/prisma/database'
import type { InvitedRole } from '../../organizations/invitation.ts'
import { keepRoles } from '../connections/mapped-grants.ts'

/** Gives a user roles in an organization, which only adds to what they have. */
export async function giveInvitedRoles(
  transaction: Pick<Prisma.TransactionClient, 'roleAssignment' | '$executeRawUnsafe'>,
  organizationId: string,
  userId: string,
  roles: readonly InvitedRole[],
): Promise<void> {
  if (roles.length === 0) return
  await keepRoles(
    transaction,
    roles.map(({ resourceId, role }) => ({ userId, resourceId, role })),
    organizationId,
  )
  await transaction.roleAssignment.createMany({
    data: roles.map((role) => ({ assignmentId: randomUUIDv7(), organizationId, userId, ...role })),
    skipDuplicates: true,
  })
}
