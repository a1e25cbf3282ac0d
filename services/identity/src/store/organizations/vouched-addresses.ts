import type { Prisma } from '@gatehouse/prisma/database'
import { domainOfAddress } from '../../organizations/domain-name.ts'

type Transaction = Pick<Prisma.TransactionClient, '$queryRawUnsafe' | '$executeRawUnsafe'>

/** The addresses that only an organization vouches for. */
export type VouchedAddresses = {
  organizationId: string
  /** The domain of the addresses; undefined for all domains. */
  domain: string | undefined
  /** Only these users; undefined for all. */
  userIds?: readonly string[] | undefined
}

/**
 * Locks the users whose addresses an organization alone vouches for, until the transaction ends. Call it before the organization and its
 * domain are locked, as users come before both.
 * @returns their ids
 */
export async function lockVouchedUsers(
  transaction: Transaction,
  { organizationId, domain, userIds }: VouchedAddresses,
): Promise<string[]> {
  const users = await transaction.$queryRawUnsafe<{ id: string; email: string | null }[]>(
    `select id, attributes ->> 'email' as email from identity.users
    where address_vouched_by = $1 and ($2::uuid[] is null or id = any($2))`,
    organizationId,
    userIds ?? null,
  )
  const wanted = users.filter(({ email }) => domain === undefined || domainOfAddress(email ?? '') === domain)
  if (wanted.length === 0) return []
  // Without those who have confirmed their address meanwhile.
  const locked = await transaction.$queryRawUnsafe<{ id: string }[]>(
    `select id from identity.users where id = any($1::uuid[]) and address_vouched_by = $2
    order by id for no key update`,
    wanted.map(({ id }) => id),
    organizationId,
  )
  return locked.map(({ id }) => id)
}

/**
 * Makes addresses unverified for which an organization no longer vouches, and ends the links that reset passwords by them. Call it after
 * lockVouchedUsers, and after nobody can be added any more.
 */
export async function endVouching(transaction: Transaction, which: VouchedAddresses): Promise<void> {
  const userIds = await lockVouchedUsers(transaction, which)
  if (userIds.length === 0) return
  await transaction.$executeRawUnsafe(
    `update identity.users u set address_vouched_by = null, attributes = new.attributes, updated_at = now(),
      attributes_updated_at = case when u.attributes = new.attributes then u.attributes_updated_at else now() end
    from (
      select id, attributes || '{"email_verified": false}'::jsonb as attributes from identity.users where id = any($1::uuid[])
    ) new
    where u.id = new.id`,
    userIds,
  )
  // The mails first, as in endMailLinks.
  await transaction.$executeRawUnsafe(
    `delete from identity.mails where user_id = any($1::uuid[]) and state <> 'sent' and kind = 'password_reset'`,
    userIds,
  )
  await transaction.$executeRawUnsafe(
    `delete from identity.mail_links where user_id = any($1::uuid[]) and purpose = 'password_reset'`,
    userIds,
  )
}
