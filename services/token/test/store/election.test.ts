import { createElection, type Election } from '@gatehouse/data/election'
import { expect, test } from 'vitest'
import { useDatabase } from './database.ts'

const shared = useDatabase()

function candidates(office: string, count = 3): Election[] {
  return Array.from({ length: count }, () => createElection(shared.another(), office))
}

const vote = (elections: readonly Election[]) =>
  Promise.all(elections.map((election) => election.isElected()))
const resign = (elections: readonly Election[]) => {
  for (const election of elections) election.resign()
}

const holders = async () => {
  const rows = await shared.query(
    `select pid from pg_locks where locktype = 'advisory' and granted
     and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows.map(({ pid }) => pid)
}

test('elects one of three candidates, which stays elected', async () => {
  const elections = candidates('a')
  const first = await vote(elections)
  expect(first.filter(Boolean)).toHaveLength(1)
  for (let round = 0; round < 5; round += 1) expect(await vote(elections)).toEqual(first)
  resign(elections)
})

test('the session of an elected one ends when nobody asks with it any more, or its machine is gone', async () => {
  const { pool } = shared.another()
  const ask = `select current_setting('idle_session_timeout') as idle, current_setting('tcp_keepalives_idle') as keepalive`
  let settings = async (): Promise<unknown> => undefined
  const watching = {
    async connect() {
      const client = await pool.connect()
      settings = async () => (await client.query(ask)).rows
      return client
    },
  }
  const election = createElection({ pool: watching, sessions: watching } as never, 'watched')
  expect(await election.isElected()).toBe(true)
  expect(await settings()).toEqual([{ idle: '3min', keepalive: expect.stringMatching(/^(10|0)$/) }])
  resign([election])
})

test('elects separately for each office', async () => {
  const [one, other] = [candidates('b', 1), candidates('c', 1)]
  expect([await vote(one), await vote(other)]).toEqual([[true], [true]])
  resign([...one, ...other])
})

test('elects another when the elected one resigns', async () => {
  const elections = candidates('d')
  const first = (await vote(elections)).indexOf(true)
  elections[first]?.resign()
  const others = elections.filter((_, index) => index !== first)
  await expect.poll(() => vote(others)).toContain(true)
  expect(await elections[first]?.isElected()).toBe(false)
  resign(elections)
})

test('elects another, and never two, when the elected one’s connection is killed', async () => {
  const elections = candidates('e')
  const first = (await vote(elections)).indexOf(true)
  const [pid] = await holders()
  await shared.query('select pg_terminate_backend($1)', [pid])
  await expect.poll(holders).toEqual([])
  const others = elections.filter((_, index) => index !== first)
  expect((await vote(others)).filter(Boolean)).toHaveLength(1)
  // The first one notices with its next query, and then is a candidate like the others.
  await expect(elections[first]?.isElected()).rejects.toThrow()
  expect(await elections[first]?.isElected()).toBe(false)
  expect(await holders()).toHaveLength(1)
  resign(elections)
})

test('keeps no connection for candidates that are not elected', async () => {
  const another = shared.another()
  const [elected] = candidates('f', 1)
  await elected?.isElected()
  const election = createElection(another, 'f')
  for (let round = 0; round < 30; round += 1) expect(await election.isElected()).toBe(false)
  expect(another.pool.totalCount - another.pool.idleCount).toBe(0)
  elected?.resign()
})

test('ignores resigning twice, or without being elected', async () => {
  const [election] = candidates('g', 1)
  election?.resign()
  await election?.isElected()
  election?.resign()
  election?.resign()
  await expect.poll(holders).toEqual([])
})

test('gives concurrent tasks of a process the same answer, over one connection', async () => {
  const another = shared.another()
  const election = createElection(another, 'h')
  for (let round = 0; round < 3; round += 1)
    expect(await Promise.all([1, 2, 3].map(election.isElected))).toEqual([true, true, true])
  expect(another.pool.totalCount).toBe(1)
  election.resign()
})
