import { expect, test } from 'vitest'
import { requestAddressConfirmation } from '../../src/accounts/address-confirmation.ts'
import { inviteUser } from '../../src/accounts/invitation.ts'
import { requestSignUp } from '../../src/accounts/sign-up.ts'
import { handleRequests } from '../../src/store/mail/mail-requests.ts'
import { mailDeps, newAddress } from '../store/mail/mails.ts'
import { actor, useReplicas } from '../store/replica.ts'

const shared = useReplicas()
const deps = () => mailDeps(shared.replica())

/** Does the same twelve times at once. @returns how often each answer came */
async function twelveTimes(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      act().then(
        (answer) => String(answer),
        ({ code }) => String(code),
      ),
    ),
  )
  return Object.fromEntries(
    [...Map.groupBy(answers, (answer) => answer)].map(([key, all]) => [key, all.length]),
  )
}

const mailsTo = (address: string) =>
  shared.query('select from identity.mails where recipient = $1', [address])

test('of invitations to an address that are made at once, five are sent in an hour', async () => {
  const address = newAddress()
  const invite = () =>
    inviteUser({ address, language: 'en', attributes: undefined }, actor, {
      ...deps().list,
      mode: 'invitation',
    }).then(() => 'invited')
  expect(await twelveTimes(invite)).toEqual({ invited: 5, rate_limit_exceeded: 7 })
  expect(await mailsTo(address)).toHaveLength(5)
})

test('of confirmations of an address that are asked for at once, five are sent in an hour', async () => {
  const address = newAddress()
  const { username } = await shared.addUser()
  const { secret: sessionSecret } = await shared.browserOf(username)
  const ask = () =>
    requestAddressConfirmation({ sessionSecret, address, language: 'en' }, deps().confirmation)
  expect(await twelveTimes(ask)).toEqual({ sent: 5, 'too many': 7 })
  expect(await mailsTo(address)).toHaveLength(5)
})

test('requests for the same addresses do not deadlock when replicas handle them at once', async () => {
  const addresses = Array.from({ length: 4 }, newAddress)
  for (let count = 0; count < 40; count += 1) {
    const address = addresses[(count * 7 + Math.floor(count / 4)) % addresses.length] ?? ''
    await requestSignUp({ address, language: 'en' }, deps().signUp)
  }
  const replicas = [shared.replica(), shared.another(), shared.another()]
  const handled = await Promise.all(replicas.map(({ database }) => handleRequests(database, 40)))
  expect(handled.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(40)
  for (const address of addresses) expect(await mailsTo(address)).toHaveLength(5)
})

test('of requests of an address that are handled at once, five become mails in an hour', async () => {
  const address = newAddress()
  await twelveTimes(async () => requestSignUp({ address, language: 'en' }, deps().signUp))
  await twelveTimes(() => handleRequests(shared.replica().database, 1))
  expect(await mailsTo(address)).toHaveLength(5)
})
