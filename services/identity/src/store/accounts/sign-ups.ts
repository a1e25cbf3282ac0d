import { inTransaction } from '@gatehouse/data/in-transaction'
import { holdReservation } from '@gatehouse/data/name-claims'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { SigningUpUser, SignUpStore } from '../../accounts/sign-up.ts'
import { findInvitedAddress, invitationPage } from '../mail/invited-addresses.ts'
import { createMailLinkStore, takeMailLink, type UsedLink } from '../mail/mail-links.ts'
import { addMailRequest } from '../mail/mail-requests.ts'
import { closeInvitations, hasAccount } from './invitations.ts'

/** Rolls the transaction back, so that the link stays good. */
class NameTaken extends Error {}

/** The sign-ups in PostgreSQL. */
export function createSignUpStore(database: Pick<Database, 'pool' | 'prisma'>): SignUpStore {
  const links = createMailLinkStore(database)
  return {
    request: ({ address, ...request }) =>
      addMailRequest(database, { kind: 'sign_up', typed: address, ...request }),
    addressOf: async (digest) => (await links.find(digest, 'sign_up'))?.address,

    async complete(digest, user, reservation) {
      try {
        return await inTransaction(database, async (transaction) => {
          await holdReservation(transaction, 'identity', reservation)
          return complete(transaction, digest, user)
        })
      } catch (error) {
        if (error instanceof NameTaken) return 'name taken'
        throw error
      }
    },
  }
}

async function complete(
  transaction: Prisma.TransactionClient,
  digest: Buffer,
  { id, username, passwordHash, language }: SigningUpUser,
): Promise<{ returnTo: string | undefined } | 'link over'> {
  // All links of the address, so that two of them do not create two users at once.
  await transaction.$queryRaw`
    select 1 from identity.mail_links where purpose in ('sign_up', 'organization') and lower(address) = (
      select lower(address) from identity.mail_links where link_digest = ${digest}
    ) order by link_digest for update`
  const link = (await takeMailLink(transaction, digest, 'sign_up')) ?? (await invited(transaction, digest))
  if (link === undefined || (await hasAccount(transaction, link.address))) return 'link over'
  const { address, content } = link
  const attributes = { locale: language, ...content.attributes, email: address, email_verified: true }
  const { count } = await transaction.user.createMany({
    data: [{ id, username, passwordHash, attributes }],
    skipDuplicates: true,
  })
  if (count === 0) throw new NameTaken()
  await transaction.$executeRaw`
    delete from identity.mail_links where purpose = 'sign_up' and lower(address) = lower(${address})`
  await closeInvitations(transaction, address, 'accepted')
  await transaction.$executeRaw`
    delete from identity.mails
    where lower(recipient) = lower(${address}) and state = 'waiting' and kind = 'sign_up'`
  return { returnTo: content.returnTo || undefined }
}

/** The link of an invitation to an organization, which stays good for joining. */
async function invited(transaction: Prisma.TransactionClient, digest: Buffer): Promise<UsedLink | undefined> {
  const address = await findInvitedAddress(transaction, digest)
  return address === undefined ? undefined : { userId: null, address, content: { returnTo: invitationPage } }
}
