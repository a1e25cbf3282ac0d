import { expect, test } from 'vitest'
import { removeFactor, resetFactors } from '../../src/factors/factor-change.ts'
import { updateUser } from '../../src/users/user-change.ts'
import { sessionOf, useFactors } from '../store/factors/factors.ts'
import { newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor } from '../store/replica.ts'

const shared = useFactors()
const mailbox = useMailbox(shared)

/** A user with an address and a session. */
async function userWithAddress() {
  const user = await shared.userWithSession()
  const address = newAddress()
  const attributes = { email: address, email_verified: true }
  await updateUser({ userId: user.id, attributes }, actor, shared.replica().admin.changes)
  return { ...user, address }
}

const added = 'A way to log in was added to your account at Gatehouse'
const removed = 'A way to log in was removed from your account at Gatehouse'

test('users are told of each factor that is added and removed', async () => {
  const { id, secret, address } = await userWithAddress()
  const { secret: proven } = await shared.addPasskey(secret)
  expect((await mailbox.oneFor(address)).mail.subject).toBe(added)
  const [passkey] = (await shared.deps().list.list(id)).passkeys
  await removeFactor(sessionOf(proven), passkey?.id ?? '', shared.deps())
  const { mail, link } = await mailbox.oneFor(address)
  expect(mail.subject).toBe(removed)
  expect(link.pathname).toBe('/account')
})

test('users are told when an administrator resets their factors', async () => {
  const { id, secret, address } = await userWithAddress()
  await shared.addPasskey(secret)
  await mailbox.oneFor(address)
  await resetFactors({ userId: id }, actor, shared.deps())
  expect((await mailbox.oneFor(address)).mail.subject).toBe(removed)
})

test('users are told once of a recovery code that was used, however many use it at once', async () => {
  const { id, secret, address } = await userWithAddress()
  const { recoveryCodes } = await shared.addPasskey(secret)
  await mailbox.oneFor(address)
  const [row] = await shared.query(
    'select code_digest from identity.recovery_codes where user_id = $1 limit 1',
    [id],
  )
  const digest = row?.code_digest as Buffer
  const uses = Array.from({ length: 5 }, () => shared.deps().recoveryCodes.use(id, digest))
  expect((await Promise.all(uses)).filter((used) => used)).toHaveLength(1)
  expect((await mailbox.oneFor(address)).mail.subject).toBe(
    'A recovery code of your account at Gatehouse was used',
  )
  expect(recoveryCodes).toHaveLength(10)
})
