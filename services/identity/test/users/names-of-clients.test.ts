import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { completeSignUp, requestSignUp } from '../../src/accounts/sign-up.ts'
import { importUsers } from '../../src/accounts/user-import.ts'
import { createUser } from '../../src/users/user-change.ts'
import { userOf, useSocialLogins } from '../providers/social.ts'
import { mailDeps, newAddress, useMailbox } from '../store/mail/mails.ts'
import { actor, type Replica } from '../store/replica.ts'

const shared = useSocialLogins()
const mailbox = useMailbox(shared)

const clientId = 'Billing'
const uuidOfClient = '0190f0a0-2222-7000-8000-00000000000a'

/** A replica whose client registry has these two clients. */
function replica(...more: string[]): Replica {
  const one = shared.another()
  const taken = new Set([clientId.toLowerCase(), uuidOfClient, ...more])
  one.askRegistry = async (names) => names.filter((name) => taken.has(name))
  return one
}

const usersCalled = (name: string) =>
  shared.query('select 1 from identity.users where lower(username) = lower($1)', [name])

test.each([clientId, 'bILLING', uuidOfClient, uuidOfClient.replaceAll('-', '').toUpperCase()])(
  'an administrator cannot create a user called %s like a client',
  async (username) => {
    const user = { username, password: 'a long new password', adminRole: null }
    await expect(createUser(user, actor, replica().admin.changes)).rejects.toMatchObject({
      code: 'invalid_request',
      description: 'username is the id of a client: choose another one.',
    })
    expect(await usersCalled(username)).toEqual([])
  },
)

test('an import creates the others, and says which names and ids are those of clients', async () => {
  const nobody = { attributes: {}, disabled: false, admin: false }
  const userOf = (changes: object) => ({
    ...{ ...nobody, username: `user-${randomUUID()}`, createdAt: undefined, socialAccounts: [] },
    ...changes,
  })
  const users = [userOf({}), userOf({ username: 'BILLING' }), userOf({ userId: uuidOfClient }), userOf({})]
  const { imports } = replica().admin
  for (const dryRun of [true, false]) {
    const results = await importUsers({ users, dryRun, allowAdmins: false }, actor, imports)
    expect(results.map(({ outcome, reason }) => [outcome, reason].join(' '))).toEqual([
      'created ',
      'invalid username is the id of a client: choose another one.',
      'invalid user_id is the id of a client: choose another one.',
      'created ',
    ])
  }
  const ids = await shared.query('select 1 from identity.users where id = $1', [uuidOfClient])
  expect([...ids, ...(await usersCalled(clientId))]).toEqual([])
})

test('whoever signs up with the id of a client is told that it is taken, and can go on', async () => {
  const { signUp } = mailDeps(replica())
  const address = newAddress()
  await requestSignUp({ address, language: 'en' }, signUp)
  const { secret } = await mailbox.oneFor(address)
  const form = {
    ...{ secret, password: 'a long new password', language: 'en' },
    ...{ ipAddress: '192.0.2.7', userAgent: 'A browser', previousSecret: undefined },
  }
  expect(await completeSignUp({ ...form, username: 'billing' }, signUp)).toEqual({
    outcome: 'problem',
    problem: { field: 'username', code: 'taken', rule: 'is already taken' },
  })
  const completed = await completeSignUp({ ...form, username: `user-${randomUUID()}` }, signUp)
  expect(completed.outcome).toBe('signed up')
})

test('a first social login does not get the id of a client as its user name', async () => {
  const free = userOf(await shared.logIn('github', { ...shared.deps(), ...replica().social, ...providers() }))
  await shared.query('delete from identity.users where id = $1', [free.id])
  const { social } = replica(free.username.toLowerCase())
  const other = userOf(await shared.logIn('github', { ...social, ...providers() }))
  expect(other.username).toBe(`${free.username}-2`)
})

const providers = () => ({ providers: shared.deps().providers })

test('no user can have a name that becomes ASCII in the normal forms', async () => {
  for (const username of ['\u212aim', 'a\u037eb', 'a\u1fef'])
    await expect(
      createUser(
        { username, password: 'a long new password', adminRole: null },
        actor,
        replica().admin.changes,
      ),
    ).rejects.toThrow('variants of other characters')
})

test('the service says which names are names or ids of users, ignoring case', async () => {
  const { id, username } = await shared.addUser({ username: `Zoe-${randomUUID()}` })
  const names = [username.toLowerCase(), id, randomUUID(), 'nobody', '']
  expect(await shared.replica().findTakenNames(names)).toEqual([username.toLowerCase(), id])
})
