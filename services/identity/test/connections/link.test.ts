import { describe, expect, test } from 'vitest'
import { listLinks, removeLink } from '../../src/connections/link.ts'
import { actor } from '../store/replica.ts'
import { useConnectionLogins } from './logging-in.ts'

const {
  shared,
  standIn,
  deps,
  add,
  begin,
  run,
  ofOrganization,
  arrives,
  withAddress,
  session,
  right,
  linksOf,
} = useConnectionLogins()

describe('a link', () => {
  test('is made by the user of a session with a recent login, and leads to them alone', async () => {
    const { connectionId } = await add()
    arrives()
    const user = await shared.addUser()
    const { secret } = await shared.browserOf(user.username)
    const link = (sessionSecret: string) =>
      run(connectionId, {
        begin: { purpose: 'link', sessionSecret },
        finish: { previousSecret: sessionSecret },
      })
    expect(await link(secret)).toMatchObject({ outcome: 'linked', displayName: 'Ann Example' })
    expect(right(await run(connectionId)).session.session.user.id).toBe(user.id)
    const other = await shared.browserOf((await shared.addUser()).username)
    expect(await link(other.secret)).toMatchObject({ outcome: 'linked to other' })
    await shared.query(
      "update identity.sessions set authenticated_at = now() - interval '6 minutes' where id = $1",
      [other.id],
    )
    await expect(link(other.secret)).rejects.toThrow('session')
  })

  test('to a connection of an organization is for members, and for those whom it would create', async () => {
    const { connectionId, domain } = await ofOrganization()
    const user = await shared.addUser()
    const { secret } = await shared.browserOf(user.username)
    const link = () =>
      run(connectionId, {
        begin: { purpose: 'link', sessionSecret: secret },
        finish: { previousSecret: secret },
      })
    withAddress('foreign.example.com')
    expect(await link()).toMatchObject({ outcome: 'no member' })
    withAddress(domain)
    expect(await link()).toMatchObject({ outcome: 'linked' })
    expect(await run(connectionId)).toMatchObject({ outcome: 'right', created: false })
  })

  test('is not made in another session than that which began it', async () => {
    const { connectionId } = await add()
    arrives()
    const [one, two] = [await shared.addUser(), await shared.addUser()]
    const [mine, theirs] = [await shared.browserOf(one.username), await shared.browserOf(two.username)]
    const which = { begin: { purpose: 'link' as const, sessionSecret: mine.secret } }
    const foreign = { ...which, finish: { previousSecret: theirs.secret } }
    expect(await run(connectionId, foreign)).toMatchObject({ outcome: 'session' })
    expect(await linksOf(connectionId)).toEqual([])
  })

  test('is removed by its user, who keeps a way to log in, and by administrators', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    const subject = arrives()
    const { session: begun } = right(await run(connectionId))
    const { id: userId } = begun.session.user
    const key = { connectionId, issuer: standIn().issuer, subject, userId }
    const remove = (sessionSecret?: string) => removeLink({ ...key, sessionSecret }, actor, deps())
    await expect(remove(begun.secret)).rejects.toThrow('the last way to log in')
    const other = await shared.browserOf((await shared.addUser()).username)
    await expect(remove(other.secret)).rejects.toThrow('There is no such link.')
    expect((await listLinks({ userId, limit: 10 }, deps())).links).toMatchObject([
      { ...key, orphaned: false },
    ])
    await remove()
    expect((await listLinks({ connectionId, limit: 10 }, deps())).links).toEqual([])
    expect(await session(begun.secret)).toBeUndefined()
    await expect(remove()).rejects.toThrow('There is no such link.')
    const member = await shared.addUser()
    const { secret } = await shared.browserOf(member.username)
    const link = { purpose: 'link', sessionSecret: secret } as const
    arrives()
    await run(connectionId, { begin: link, finish: { previousSecret: secret } })
    const own = { ...key, userId: member.id, subject: standIn().person.sub, sessionSecret: secret }
    await removeLink(own, actor, deps())
    expect(await linksOf(connectionId)).toEqual([])
    expect(await session(secret)).toBeDefined()
  })
})

describe('the links of a connection', () => {
  const storeLinks = async (connectionId: string, number: number) => {
    const { id } = await shared.addUser()
    await shared.query(
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name, linked_at)
      select $1, 'https://idp.example', 'person-' || n, $2, 'A person', now() - (n / 2) * interval '1 microsecond'
      from generate_series(1, $3::int) n`,
      [connectionId, id, number],
    )
  }

  test('are listed from page to page, newest first, also those of the same moment', async () => {
    const { connectionId } = await add()
    await storeLinks(connectionId, 9)
    const subjects: string[] = []
    let cursor: string | undefined
    do {
      const page = await listLinks({ connectionId, limit: 2, cursor }, deps())
      subjects.push(...page.links.map(({ subject }) => subject.replace('person-', '')))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(subjects.join(' ')).toBe('1 3 2 5 4 7 6 9 8')
  })

  test('are counted for a list only up to a number', async () => {
    const [many, few] = [await add(), await add()]
    await storeLinks(many.connectionId, 5)
    const ids = [many.connectionId, few.connectionId]
    expect(await deps().connections.countLinksUpTo(3, ids)).toEqual(
      new Map([
        [many.connectionId, 4],
        [few.connectionId, 0],
      ]),
    )
    expect((await deps().connections.countLinksUpTo(5, ids)).get(many.connectionId)).toBe(5)
  })
})

describe('a try', () => {
  test('says what a login would give, and stores nothing', async () => {
    const administrator = await shared.addUser({ adminRole: 'owner' })
    const { secret } = await shared.browserOf(administrator.username)
    const { connectionId } = await add({
      newUsers: 'always',
      disabled: true,
      mapping: [
        { claim: 'locale', value: 'de', group: 'none' },
        { claim: 'groups', value: 'x', group: 'none' },
      ],
    })
    const sub = arrives({ locale: 'de' })
    const tried = await run(connectionId, {
      begin: { purpose: 'test', sessionSecret: secret },
      finish: { previousSecret: secret },
    })
    expect(tried).toMatchObject({
      outcome: 'test',
      test: {
        claims: { sub },
        problem: 'no connection',
        wouldCreate: true,
        remarks: ['The claim groups is missing.', 'There is no group none that people may fill.'],
      },
    })
    expect(await linksOf(connectionId)).toEqual([])
    const member = await shared.browserOf((await shared.addUser()).username)
    await expect(begin(connectionId, { purpose: 'test', sessionSecret: member.secret })).rejects.toThrow(
      'session',
    )
  })
})
