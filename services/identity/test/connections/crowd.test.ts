import { describe, expect, test } from 'vitest'
import { useConnectionLogins } from './logging-in.ts'

const { shared, standIn, add, begin, comeBack, finish, arrives, right } = useConnectionLogins()

const ipAddress = '192.0.2.7'

/** Lets strangers begin logins and leave. @param network the SQL of their networks, of n from 1 to how many there are */
const crowd = (connectionId: string, many: number, network: string) =>
  shared.query(
    `insert into identity.connection_logins
      (state_digest, browser_digest, connection_id, purpose, nonce, code_verifier, return_to, network, expires_at)
    select sha256((n || $1 || ${network})::bytea), '', $1, 'login', 'n', 'v', '', ${network}, now() + interval '10 minutes'
    from generate_series(1, $2::int) n`,
    [connectionId, many],
  )

async function underWay(connectionId: string): Promise<Record<string, number>> {
  const rows = await shared.query(
    'select network, count(*)::int as many from identity.connection_logins where connection_id = $1 group by 1',
    [connectionId],
  )
  return Object.fromEntries(rows.map(({ network, many }) => [network, many]))
}

describe('logins that strangers begin and leave', () => {
  test('keep nobody else from logging in, and push out none of another network', async () => {
    const { connectionId } = await add({ newUsers: 'always' })
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    arrives()
    const begun = await begin(connectionId, { ipAddress })
    // 199 networks have a hundred each, one has 99, and one has one.
    await crowd(connectionId, 20_000, "'198.51.' || (n / 100) || '.1'")
    const other = await begin(connectionId, { ipAddress: '203.0.113.9' })
    for (const one of [begun, other]) right(await finish(one, await comeBack(one)))
    const left = Object.values(await underWay(connectionId))
    expect(left.reduce((sum, many) => sum + many, 0)).toBeLessThan(20_000)
    expect(left.toSorted((a, b) => a - b).slice(0, 4)).toEqual([1, 99, 99, 100])
  })

  test('of one network push out its oldest', async () => {
    const { connectionId } = await add()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    await crowd(connectionId, 150, `'${ipAddress}'`)
    await crowd(connectionId, 1, "'198.51.100.1'")
    await begin(connectionId, { ipAddress })
    expect(await underWay(connectionId)).toEqual({ [ipAddress]: 100, '198.51.100.1': 1 })
  })

  test('push out no link, and links of one user push out none of another', async () => {
    const { connectionId } = await add()
    standIn().register(`https://auth.example/auth/callback/${connectionId}`)
    const [one, other] = [await shared.addUser(), await shared.addUser()]
    const link = async ({ username }: { username: string }) => {
      const { secret: sessionSecret } = await shared.browserOf(username)
      await begin(connectionId, { purpose: 'link', sessionSecret, ipAddress })
    }
    await link(one)
    await crowd(connectionId, 100, `'${ipAddress}'`)
    await begin(connectionId, { ipAddress })
    await shared.query(
      `insert into identity.connection_logins
        (state_digest, browser_digest, connection_id, purpose, user_id, nonce, code_verifier, return_to, network, expires_at)
      select sha256(n::text::bytea), '', $1, 'link', $2, 'n', 'v', '', '', now() + interval '10 minutes'
      from generate_series(1, 120) n`,
      [connectionId, other.id],
    )
    await link(other)
    const links = await shared.query(
      `select user_id, count(*)::int as many from identity.connection_logins where connection_id = $1 and purpose = 'link' group by 1`,
      [connectionId],
    )
    expect(new Map(links.map(({ user_id, many }) => [user_id, many]))).toEqual(
      new Map([
        [one.id, 1],
        [other.id, 100],
      ]),
    )
    expect(await underWay(connectionId)).toMatchObject({ [ipAddress]: 102 })
  })
})
