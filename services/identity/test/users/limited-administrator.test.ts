import { actorMessage } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { adminRoleNames } from '@gatehouse/proto/administration'
import { MailLinkPurpose } from '@gatehouse/proto/mail/v1'
import { describe, expect, test } from 'vitest'
import { adminRpcs } from '../../src/rpc/admin-rpc.ts'
import { factorRpcs } from '../../src/rpc/factor-rpc.ts'
import { mailListRpcs } from '../../src/rpc/mail-list-rpc.ts'
import { mailDeps, newAddress } from '../store/mail/mails.ts'
import { actor, useReplicas } from '../store/replica.ts'

// The acts that are forbidden to an administrator of only a part, whatever their scopes are.

const shared = useReplicas()
const [whole, part] = [actorMessage(actor), actorMessage({ ...actor, limited: true })]
const rpcs = () => {
  const { admin, factors } = shared.replica()
  const { list } = mailDeps(shared.replica())
  return { ...adminRpcs(admin), ...factorRpcs(factors, admin.list), ...mailListRpcs(list) }
}
const call = {} as never
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )

const attributes = undefined
const acts: Record<string, (userId: string, message: typeof part) => Promise<unknown>> = {
  disable: (userId, message) =>
    rpcs().updateUser({ userId, disabled: true, admin: undefined, attributes, actor: message }, call),
  'reset the password of': (userId, message) => rpcs().resetPassword({ userId, actor: message }, call),
  'end the sessions of': (userId, message) => rpcs().endUserSessions({ userId, actor: message }, call),
  'reset the factors of': (userId, message) => rpcs().resetFactors({ userId, actor: message }, call),
  unlock: (userId, message) => rpcs().unlockUser({ userId, actor: message }, call),
  delete: (userId, message) => rpcs().deleteUser({ userId, actor: message }, call),
}

test.each(['viewer', 'support', 'client_manager'] as const)('nor on a %s', async (adminRole) => {
  const { id } = await shared.addUser({ adminRole })
  for (const act of Object.values(acts)) expect(await codeOf(act(id, part))).toBe('access_denied')
})

describe.each(Object.entries(acts))('an administrator of a part may %s', (_, act) => {
  test('a user, but no administrator', async () => {
    const [user, administrator] = [await shared.addUser(), await shared.addUser({ adminRole: 'owner' })]
    await shared.addUser({ adminRole: 'owner' })
    expect(await codeOf(act(administrator.id, part))).toBe('access_denied')
    expect(await codeOf(act(user.id, part))).toBe('done')
    expect(await codeOf(act(administrator.id, whole))).toBe('done')
  })
})

test('sends mails to users, but not to administrators, and sends none of theirs again', async () => {
  const reach = async (userId: string, message: typeof part) => {
    const address = newAddress()
    const attributes = JSON.stringify({ email: address, email_verified: true })
    await shared.query('update identity.users set attributes = $2 where id = $1', [userId, attributes])
    const purpose = MailLinkPurpose.MAIL_LINK_PURPOSE_PASSWORD_RESET
    const sent = await codeOf(rpcs().sendUserLink({ userId, purpose, actor: message }, call))
    const [mail] = await shared.query(
      `insert into identity.mails (mail_id, kind, user_id, recipient, language, content, state, ended_at)
      values (gen_random_uuid(), 'password_reset', $1, $2, 'en', '{}', 'failed', now()) returning mail_id as id`,
      [userId, address],
    )
    return [sent, await codeOf(rpcs().retryMail({ mailId: `${mail?.id}`, actor: message }, call))]
  }
  const [user, owner] = [await shared.addUser(), await shared.addUser({ adminRole: 'owner' })]
  expect(await reach(owner.id, part)).toEqual(['access_denied', 'access_denied'])
  expect(await reach(owner.id, whole)).toEqual(['done', 'done'])
  expect(await reach(user.id, part)).toEqual(['done', 'done'])
})

test('gives nobody a role, and takes none', async () => {
  const { id: userId } = await shared.addUser()
  const change = { userId, disabled: undefined, admin: undefined, attributes }
  for (const adminRole of adminRoleNames) {
    expect(await codeOf(rpcs().updateUser({ ...change, adminRole, actor: part }, call))).toBe('access_denied')
    const made = { username: `new-${userId}`, password: 'correct horse battery', admin: false, attributes }
    expect(await codeOf(rpcs().createUser({ ...made, adminRole, actor: part }, call))).toBe('access_denied')
  }
  await rpcs().updateUser({ ...change, adminRole: 'viewer', actor: whole }, call)
  expect(await codeOf(rpcs().updateUser({ ...change, adminRole: '', actor: part }, call))).toBe(
    'access_denied',
  )
  await expect(
    rpcs().updateUser({ ...change, adminRole: 'archbishop', actor: whole }, call),
  ).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'admin_role must be one of viewer, support, client_manager, owner.',
  })
})

test('makes nobody an administrator: not a user, not a new one and not by an import', async () => {
  const { id: userId } = await shared.addUser()
  const promotion = { userId, disabled: undefined, admin: true, attributes }
  expect(await codeOf(rpcs().updateUser({ ...promotion, actor: part }, call))).toBe('access_denied')
  const username = `new-${userId}`
  const made = { username, password: 'correct horse battery', admin: true, attributes }
  expect(await codeOf(rpcs().createUser({ ...made, actor: part }, call))).toBe('access_denied')
  const imported = { users: [], dryRun: false, allowAdmins: true }
  expect(await codeOf(rpcs().importUsers({ ...imported, actor: part }, call))).toBe('access_denied')
  expect(await codeOf(rpcs().createUser({ ...made, admin: false, actor: part }, call))).toBe('done')
  expect(await codeOf(rpcs().updateUser({ ...promotion, actor: whole }, call))).toBe('done')
})
