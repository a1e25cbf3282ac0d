import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { updateConnection } from '../../src/connections/connection-change.ts'
import { changeMembers } from '../../src/groups/group-members.ts'
import { recoverAdministratorIn } from '../../src/recover-administrator.ts'
import { changeRoles } from '../../src/roles/role-assignment.ts'
import { actor } from '../store/replica.ts'
import { resourceServer } from './connections.ts'
import { useConnectionLogins } from './logging-in.ts'

const { shared, standIn, deps, add, run, arrives, session, right, linksOf } = useConnectionLogins()

const role = {
  resourceId: resourceServer.resourceId,
  resource: resourceServer.identifier,
  role: 'reader',
}

/** A user of a connection that gives a group and a role. */
async function mapped() {
  const groupId = randomUUID()
  const group = `Staff ${groupId}`
  await shared.query("insert into identity.groups (group_id, name, description) values ($1, $2, '')", [
    groupId,
    group,
  ])
  const rule = { claim: 'locale', value: 'de' }
  const { connectionId } = await add({
    newUsers: 'always',
    mapping: [
      { ...rule, group },
      { ...rule, role },
    ],
  })
  const sub = arrives({ locale: 'de' })
  const { session: begun } = right(await run(connectionId))
  const { id: userId, username } = begun.session.user
  const held = async () => [
    ...(await shared.query('select group_id from identity.group_members where user_id = $1', [userId])),
    ...(await shared.query('select role from identity.role_assignments where user_id = $1', [userId])),
  ]
  expect(await held()).toEqual([{ group_id: groupId }, { role: 'reader' }])
  return { connectionId, groupId, userId, username, sub, held, secret: begun.secret }
}

test('a group and a role that somebody gives are not taken by the mapping that gave them before', async () => {
  const { connectionId, groupId, userId, sub, held } = await mapped()
  const { groups, roles } = shared.replica()
  await changeMembers({ groupId, add: [userId], remove: [] }, actor, groups)
  const give = [{ ...role, holder: { kind: 'user' as const, id: userId } }]
  await changeRoles({ give, take: [] }, actor, roles)
  standIn().person = { sub, name: 'Ann Example' }
  right(await run(connectionId))
  expect(await held()).toEqual([{ group_id: groupId }, { role: 'reader' }])
})

test('a recovered administrator has no links, no social accounts, and nothing that a mapping gave', async () => {
  const { connectionId, userId, username, held, secret } = await mapped()
  await shared.query(
    "insert into identity.social_accounts (provider, subject, user_id, display_name) values ('google', $1, $2, 'Ann')",
    [randomUUID(), userId],
  )
  const recovery = { username, newPassword: 'entirely another one', keepFactors: true }
  await recoverAdministratorIn({ OAUTH2_DATABASE_URL: shared.url() }, recovery)
  expect(await linksOf(connectionId)).toEqual([])
  expect(await shared.query('select from identity.social_accounts where user_id = $1', [userId])).toEqual([])
  expect(await held()).toEqual([])
  expect(await session(secret)).toBeUndefined()
  expect(await shared.auditOf(userId)).toContainEqual(
    expect.objectContaining({ action: 'user.social_accounts.remove', before: { providers: ['google'] } }),
  )
  await shared.replica().deliverAll()
  expect(shared.replica().revoked).toContainEqual(
    expect.objectContaining({ kind: 'connection', target: `${connectionId}:${userId}` }),
  )
})

test('rules that stay are not judged again: the role of one may be gone', async () => {
  const { connectionId } = await add({ mapping: [{ claim: 'locale', value: 'de', role }] })
  const of = { ...deps(), findRoles: async () => [] }
  const change = (value: string) =>
    updateConnection(
      {
        connectionId,
        revision: 0n,
        mapping: [
          { claim: 'locale', value, role },
          { claim: 'name', attribute: 'name' },
        ],
      },
      actor,
      of,
    )
  expect((await change('de')).mapping).toHaveLength(2)
  await expect(change('fr')).rejects.toThrow('rule 1 must name a role that its resource server has')
})
