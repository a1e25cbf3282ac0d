import { randomUUIDv7 } from 'node:crypto'
import { keepNothing } from '@gatehouse/data/pending-events'
import { describe, expect, test } from 'vitest'
import type { ListedToken, TokenOwner } from '../../src/administration/token-administration.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { createTokenAdministrationStore } from '../../src/store/token-administration.ts'
import { inHours, useAdministration } from './administered.ts'

const { shared, start, insert } = useAdministration()

/** Reads all pages of a list. */
async function pages(list: ReturnType<typeof start>['list'], owner: TokenOwner | undefined, limit: number) {
  const all: ListedToken[][] = []
  let cursor: string | undefined
  do {
    const page = await list(owner, cursor, limit)
    all.push(page.tokens)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}

describe('a list', () => {
  test('shows all fields of a token, and no part of the token itself', async () => {
    const { replica, list } = start()
    const { accessToken } = await replica.logIn('read')
    const claims = await replica.signer.verify(accessToken)
    const { tokens, nextCursor } = await list()
    expect(tokens).toEqual([
      {
        expiresAt: claims?.exp,
        jti: claims?.jti,
        grantId: expect.any(String),
        clientId: 'client_a',
        userId: 'user-1',
        username: 'ann',
        scope: 'read',
        resources: [],
        organizationId: undefined,
        revoked: false,
      },
    ])
    expect(nextCursor).toBeUndefined()
  })

  test('says in which organization a token was granted', async () => {
    const { list } = start()
    const [jti] = await insert([{ expiresAt: inHours(1) }])
    await shared.query(`update token.access_tokens set organization_id = 'org_1' where jti = $1`, [jti])
    expect((await list()).tokens).toMatchObject([{ jti, organizationId: 'org_1' }])
  })

  test('is empty without tokens', async () => {
    const { list } = start()
    for (const owner of [undefined, { kind: 'client', id: 'client_a' }, { kind: 'user', id: 'u' }] as const) {
      expect(await list(owner)).toEqual({ tokens: [], nextCursor: undefined })
    }
  })

  const forms: [string, TokenOwner | undefined][] = [
    ['of all', undefined],
    ['of a client', { kind: 'client', id: 'client_a' }],
    ['of a user', { kind: 'user', id: 'user_a' }],
  ]
  test.each(forms)(
    '%s has each token that has not expired once, the last to expire first',
    async (_, owner) => {
      const { list } = start()
      // Several in one second, over several days, and some expired.
      const times = [-20, -0.1, 0.5, 0.5, 0.5, 1, 5, 23, 24, 25, 25, 25, 48, 120, 167].map(inHours)
      const jtis = await insert(times.map((expiresAt) => ({ expiresAt, userId: 'user_a' })))
      if (owner) {
        await insert(times.map((expiresAt) => ({ expiresAt, clientId: 'client_', userId: 'user_' })))
        await insert(times.map((expiresAt) => ({ expiresAt, clientId: 'client_a!', userId: 'user_a!' })))
        await insert(times.map((expiresAt) => ({ expiresAt, clientId: 'CLIENT_A' })))
      }
      const wanted = jtis.slice(2).toSorted()
      for (const limit of [1, 2, 3, 12, 13, 200]) {
        const found = await pages(list, owner, limit)
        expect(
          found
            .flat()
            .map(({ jti }) => jti)
            .toSorted(),
        ).toEqual(wanted)
        expect(found.flat().map(({ expiresAt }) => expiresAt)).toEqual(times.slice(2).toReversed())
        expect(found.slice(0, -1).every((page) => page.length === limit)).toBe(true)
      }
    },
  )

  test('continues at the same place when tokens are added and deleted meanwhile', async () => {
    const { list } = start()
    const jtis = await insert([1, 2, 3, 4].map((hours) => ({ expiresAt: inHours(hours) })))
    const { tokens, nextCursor } = await list(undefined, undefined, 2)
    await insert([5, 6].map((hours) => ({ expiresAt: inHours(hours) })))
    await shared.query('delete from token.access_tokens where jti = $1', [tokens[1]?.jti])
    const next = await list(undefined, nextCursor, 2)
    expect(next.tokens.map(({ jti }) => jti)).toEqual([jtis[1], jtis[0]])
  })

  test('shows a token as revoked when introspection reports it as inactive', async () => {
    const { replica, list } = start()
    const [own, client, user, consent, grant, alive] = [1, 2, 3, 4, 5, 6].map((n) => `user-${n}`)
    const issued = await insert(
      [own, client, user, consent, grant, alive].map((userId = '', index) => ({
        expiresAt: inHours(2) - index,
        userId,
        clientId: userId === client ? 'client_b' : 'client_a',
      })),
    )
    await shared.query('update token.access_tokens set revoked_at = now() where jti = $1', [issued[0]])
    await replica.revocations.add({ kind: 'client', id: 'client_b', issuedBefore: 'now' })
    await replica.revocations.add({ kind: 'user', id: user ?? '', issuedBefore: undefined })
    await replica.revocations.add({ kind: 'consent', id: `${consent}:client_a`, issuedBefore: 'now' })
    await replica.revocations.add({ kind: 'grant', id: issued[4] ?? '', issuedBefore: 'now' })
    const old = { kind: 'user', id: alive ?? '', issuedBefore: new Date(Date.now() - 60_000) } as const
    await replica.revocations.add(old)
    const { tokens } = await list()
    expect(tokens.map(({ revoked }) => revoked)).toEqual([true, true, true, true, true, false])
    const live = await Promise.all(tokens.map((key) => replica.store.findLive(key)))
    expect(live.map((one) => one === undefined)).toEqual(tokens.map(({ revoked }) => revoked))
  })

  test('reads about as many rows as it shows, for every owner, with statistics or without', async () => {
    // A client whose tokens have all expired, among many active tokens of another: here a list in order of time reads most.
    await createPartitions(shared.database).make([inHours(-0.01), inHours(0), inHours(1), inHours(24)])
    for (const [clientId, from, until] of [
      ['idle', -0.01, -0.001],
      ['busy', 0.1, 24],
    ] as const) {
      await shared.query(
        `insert into token.access_tokens (expires_at, jti, grant_id, client_id, user_id, scope)
         select to_timestamp($2 + (($3::bigint - $2::bigint) * random())::bigint), gen_random_uuid(), gen_random_uuid(), $1, $1, 'read'
         from generate_series(1, 20000)`,
        [clientId, inHours(from), inHours(until)],
      )
    }
    const owners: (TokenOwner | undefined)[] = [
      undefined,
      ...['idle', 'busy'].flatMap((id) => [{ kind: 'client', id } as const, { kind: 'user', id } as const]),
    ]
    for (const prepare of ['select', 'analyze token.access_tokens']) {
      await shared.query(prepare)
      // Often enough for PostgreSQL to switch to a generic plan.
      for (let round = 0; round < 8; round += 1) {
        for (const owner of owners) {
          const { page, read } = await listCounting(owner)
          expect(page).toHaveLength(owner?.id === 'idle' ? 0 : 51)
          expect(read, `${prepare}, ${round}, ${JSON.stringify(owner)}`).toBeLessThan(500)
        }
      }
    }
  })

  /** Lists 51 tokens and counts the rows that PostgreSQL read, whose exact number is only available on the same connection. */
  async function listCounting(owner: TokenOwner | undefined) {
    const counts: number[] = []
    const connect = async () => {
      const client = await shared.database.pool.connect()
      const count = async () => {
        const { rows } = await client.query(
          `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read from pg_stat_xact_user_tables
           where relname like 'access_tokens%'`,
        )
        counts.push(rows[0].read)
      }
      const query = async (statement: unknown) => {
        if (statement === 'commit') await count()
        const result = await client.query(statement as string)
        if (String(statement).startsWith('begin')) await count()
        return result
      }
      return { query, release: client.release.bind(client) }
    }
    const tokens = createTokenAdministrationStore(
      { ...shared.database, pool: { connect } as never },
      3600,
      keepNothing,
    )
    const page = await tokens.list(owner, undefined, 51)
    const [before = Number.NaN, after = Number.NaN] = counts
    return { page, read: after - before }
  }

  test.each([
    'x',
    '!',
    Buffer.from(`1.${randomUUIDv7()}x`).toString('base64url'),
    Buffer.from(`-1.${randomUUIDv7()}`).toString('base64url'),
    Buffer.from(`99999999999.${randomUUIDv7()}`).toString('base64url'),
    Buffer.from(`1.${randomUUIDv7()}.2`).toString('base64url'),
    Buffer.from(`1.' or 1=1 --`).toString('base64url'),
    'A'.repeat(10_000),
  ])('refuses an invalid cursor', async (cursor) => {
    await expect(start().list(undefined, cursor)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test.each([0, 201, 2 ** 32 - 1])('refuses a limit of %d', async (limit) => {
    await expect(start().list(undefined, '', limit)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test.each(['', 'a\0b'])('refuses an invalid owner', async (id) => {
    await expect(start().list({ kind: 'user', id })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
