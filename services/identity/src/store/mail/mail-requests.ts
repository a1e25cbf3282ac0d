import { randomUUIDv7 } from 'node:crypto'
import { inTransaction } from '@gatehouse/data/in-transaction'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { MailKindName } from '@gatehouse/proto/people/mails'
import { mailWriter, mayMailTo } from './mails.ts'

/** The request of a stranger for a mail. */
export type MailRequest = {
  kind: 'sign_up' | 'password_reset'
  /** A user's name or an address. */
  typed: string
  language: string
  /** The path to continue at afterwards; undefined for none. */
  returnTo?: string | undefined
}

/** Stores what a stranger has asked for. It takes the same time whether or not there is such a user. */
export async function addMailRequest(
  { pool }: Pick<Database, 'pool'>,
  { kind, typed, language, returnTo }: MailRequest,
): Promise<void> {
  await translateDatabaseErrors(
    pool.query(
      `insert into identity.mail_requests (request_id, kind, typed, language, return_to)
      values ($1, $2, $3, $4, $5)`,
      [randomUUIDv7(), kind, typed, language, returnTo ?? ''],
    ),
  )
}

/**
 * The kinds of mail that count together for an address, by what strangers ask for. Each counts alone: otherwise somebody who signs up
 * with an address, or says that it is theirs, could keep its owner from resetting their password or signing up.
 */
export const countedKinds = {
  sign_up: ['sign_up', 'sign_up_known'],
  password_reset: ['password_reset'],
  address: ['address'],
} as const satisfies Record<string, readonly MailKindName[]>

/** How many accounts of one address get a mail for one request. */
const mostAccounts = 5

type Account = {
  userId: string
  username: string
  email: string
  language: string | null
  timeZone: string | null
}

/**
 * Turns requests into mails, each in one transaction with its end. A request locks its address, so two that were in one transaction
 * could deadlock with those of another replica.
 * @param most how many at most
 * @returns how many there were
 */
export async function handleRequests({ prisma }: Pick<Database, 'prisma'>, most: number): Promise<number> {
  for (let handled = 0; handled < most; handled += 1) {
    const found = await inTransaction({ prisma }, async (transaction) => {
      const [request] = await transaction.$queryRawUnsafe<TakenRequest[]>(takeSql)
      if (request !== undefined)
        await handle(transaction, { ...request, returnTo: request.returnTo ?? undefined })
      return request !== undefined
    })
    if (!found) return handled
  }
  return most
}

type TakenRequest = Omit<MailRequest, 'returnTo'> & { returnTo: string | null }

const takeSql = `
  delete from identity.mail_requests where request_id = (
    select request_id from identity.mail_requests order by request_id limit 1 for update skip locked
  ) returning kind, typed, language, nullif(return_to, '') as "returnTo"`

async function handle(transaction: Prisma.TransactionClient, request: MailRequest): Promise<void> {
  const { kind, typed, language, returnTo } = request
  const accounts = await accountsOf(transaction, request)
  if (kind === 'sign_up' && accounts.length === 0) {
    if (!(await mayMailTo(transaction, typed, countedKinds[kind]))) return
    await mailWriter.toAddress(transaction, {
      kind,
      userId: undefined,
      recipient: typed,
      language,
      content: { returnTo },
    })
    return
  }
  for (const { userId, username, email, ...account } of accounts) {
    if (!(await mayMailTo(transaction, email, countedKinds[kind]))) return
    await mailWriter.toAddress(transaction, {
      kind: kind === 'sign_up' ? 'sign_up_known' : kind,
      userId,
      recipient: email,
      language: account.language ?? language,
      content: { username, timeZone: account.timeZone ?? 'UTC', returnTo },
    })
  }
}

/**
 * The active users with this address, verified, who cannot be deleted until the end of the transaction. Those who want a new password may
 * have typed their name too. Other changes of them need not wait for strangers' requests: a link is checked again when it is used.
 */
function accountsOf(
  transaction: Prisma.TransactionClient,
  { kind, typed }: Pick<MailRequest, 'kind' | 'typed'>,
): Promise<Account[]> {
  return transaction.$queryRawUnsafe<Account[]>(
    `select id as "userId", username, attributes ->> 'email' as email, attributes ->> 'locale' as language,
      attributes ->> 'zoneinfo' as "timeZone"
    from identity.users
    where (lower(attributes ->> 'email') = lower($1) or ($3 and lower(username) = lower($1)))
      and disabled_at is null and attributes -> 'email_verified' = 'true'::jsonb
    order by id limit $2 for key share`,
    typed,
    mostAccounts,
    kind === 'password_reset',
  )
}
