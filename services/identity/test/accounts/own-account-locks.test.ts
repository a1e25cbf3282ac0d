import { describe, expect, test } from 'vitest'
import { deleteOwnAccount } from '../../src/accounts/own-account.ts'
import { deleteOrganization } from '../../src/organizations/organization-change.ts'
import { give, newResource, rolesFor, user } from '../groups/groups.ts'
import { addOrganization } from '../organizations/organizations.ts'
import { sessionOf, useFactors } from '../store/factors/factors.ts'
import { actor, type Replica } from '../store/replica.ts'

const shared = useFactors()
const waiting = async () =>
  (
    await shared.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).length

/** Starts the first work, then the second, while both must wait for an organization or for each other. @returns their outcomes */
async function inTurn(organizationId: string, works: readonly (() => Promise<unknown> | undefined)[]) {
  const holder = await shared.replica().database.pool.connect()
  const started: (Promise<unknown> | undefined)[] = []
  try {
    await holder.query('begin')
    await holder.query('select from identity.organizations where organization_id = $1 for update', [
      organizationId,
    ])
    for (const work of works) {
      started.push(work())
      await expect.poll(waiting, { timeout: 10_000 }).toBe(started.length)
    }
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  return (await Promise.allSettled(started)).map((one) =>
    one.status === 'rejected' ? String(one.reason) : one.status,
  )
}

describe('an owner of an organization who deletes their account does not deadlock', () => {
  const others: Record<
    string,
    (replica: Replica, organizationId: string, userId: string) => Promise<unknown>
  > = {
    'whoever gives them a role in it': (replica, organizationId, userId) =>
      give(replica, rolesFor(newResource(), 'reader', user(userId)), actor, { organizationId }),
    'whoever deletes it': (replica, organizationId) =>
      deleteOrganization(organizationId, actor, replica.organizations),
  }

  test.each(
    Object.keys(others).flatMap((name) => [
      [name, 'before'],
      [name, 'after'],
    ]),
  )('with %s, who begins %s them', async (name, when) => {
    const [mine, theirs] = [shared.another(), shared.another()]
    const { id, secret } = await shared.userWithSession()
    const { organizationId } = await addOrganization(mine, { [id]: 'owner' })
    const works = [
      () => others[name]?.(theirs, organizationId, id),
      () => deleteOwnAccount(sessionOf(secret), { ipAddress: '192.0.2.7', language: 'de' }, mine.ownAccount),
    ]
    const outcomes = await inTurn(organizationId, when === 'before' ? works : works.toReversed())
    expect(outcomes).toEqual(['fulfilled', 'fulfilled'])
    expect(await shared.query('select from identity.users where id = $1', [id])).toEqual([])
  })
})
