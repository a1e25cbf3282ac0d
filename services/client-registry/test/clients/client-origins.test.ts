import { beforeEach, expect, test } from 'vitest'
import { updateClient } from '../../src/changes/client-change.ts'
import { listsOrigin, lookupClientOrigins, mostOrigins } from '../../src/clients/client-origins.ts'
import { createClientOriginStore } from '../../src/store/client-origins.ts'
import { actor, useReplicas } from '../registry.ts'

const shared = useReplicas()
beforeEach(() => shared.query('truncate clients.clients cascade'))

const store = () => createClientOriginStore(shared.replica().database)
const look = (known?: string) => lookupClientOrigins(known, store())
const app = { grantTypes: ['authorization_code'], scope: 'read' }

/** Adds clients that registered themselves. */
const register = (count: number, uri: string) =>
  shared.query(
    `insert into clients.clients (client_id, client_name, redirect_uris, scope, token_endpoint_auth_method)
     select 'self-' || n, 'self', array[$2 || n], 'read', 'none' from generate_series(1, $1) as n`,
    [count, uri],
  )

test('gives the origins of the http and https redirect URIs, each once', async () => {
  const { clientId } = await shared.add({
    ...app,
    redirectUris: [
      ...['https://app.example/cb', 'https://APP.example:443/other', 'https://app.example:8443/cb'],
      ...['http://localhost:5173/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'],
    ],
  })
  await shared.add({ ...app, redirectUris: ['com.example.app:/cb'] })
  await shared.add()
  expect((await look()).clients).toEqual([
    {
      clientId,
      origins: [
        ...['https://app.example', 'https://app.example:8443'],
        ...['http://localhost:5173', 'http://127.0.0.1'],
      ],
    },
  ])
})

test('gives the origins that an administrator named in their place, also without redirect URIs', async () => {
  const metadata = { allowed_origins: ['https://named.example'] }
  const named = await shared.add({ ...app, redirectUris: ['https://app.example/cb'], metadata })
  const machine = await shared.add({ metadata })
  const { clients } = await look()
  const origins = ['https://named.example']
  expect(clients).toEqual([
    { clientId: named.clientId, origins },
    { clientId: machine.clientId, origins },
  ])
})

test('says when nothing has changed, and sees every change', async () => {
  const { clientId } = await shared.add({ ...app, redirectUris: ['https://app.example/cb'] })
  const first = await look()
  expect(await look(first.version)).toEqual({ version: first.version, clients: [], incomplete: false })
  const change = (changes: object) =>
    updateClient({ clientId, revision: 0n, ...changes }, actor, shared.replica().changes)
  await change({ redirectUris: ['https://new.example/cb'] })
  const second = await look(first.version)
  expect(second.clients).toEqual([{ clientId, origins: ['https://new.example'] }])
  await change({ disabled: true })
  const third = await look(second.version)
  expect(third.version).not.toBe(second.version)
  expect(third.clients).toEqual([])
  await change({ disabled: false })
  expect((await look(third.version)).clients).toHaveLength(1)
  const { version } = await look()
  await shared.query('delete from clients.clients')
  expect((await look(version)).version).not.toBe(version)
})

test('clients that registered themselves are asked about one by one, and count only where registration is open', async () => {
  await register(1, 'https://SELF.example:443/')
  await shared.add({ ...app, redirectUris: ['https://app.example/cb'] })
  const lists = (clientId: string, origin: string, open = true) =>
    listsOrigin({ clientId, origin }, { store: store(), open })
  expect((await look()).clients).toMatchObject([{ origins: ['https://app.example'] }])
  expect(await lists('self-1', 'https://self.example')).toBe(true)
  expect(await lists('self-1', 'https://self.example', false)).toBe(false)
  expect(await lists('self-1', 'https://app.example')).toBe(false)
  expect(await lists('self-2', 'https://self.example')).toBe(false)
  await shared.query('update clients.clients set disabled_at = now()')
  expect(await lists('self-1', 'https://self.example')).toBe(false)
})

test('an administrator who names origins of one that registered itself puts it on the list', async () => {
  await register(1, 'https://self.example/')
  await shared.query(`update clients.clients set metadata = '{"allowed_origins":["https://named.example"]}'`)
  expect((await look()).clients).toEqual([{ clientId: 'self-1', origins: ['https://named.example'] }])
  const asked = { clientId: 'self-1', origin: 'https://self.example' }
  expect(await listsOrigin(asked, { store: store(), open: true })).toBe(false)
})

// With one index for both, PostgreSQL read the long redirect URIs of strangers each second.
test('strangers without end cost the list nothing', async () => {
  await register(mostOrigins + 10, `https://self.example/${'a'.repeat(2_000)}`)
  const { clientId } = await shared.add({ ...app, redirectUris: ['https://app.example/cb'] })
  expect(await look()).toMatchObject({
    clients: [{ clientId, origins: ['https://app.example'] }],
    incomplete: false,
  })
  await shared.query('analyze clients.clients')
  const { pool } = shared.replica().database
  const plans: string[] = []
  const query = async (statement: { text: string }) => {
    const { rows } = await pool.query(`explain ${statement.text}`)
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
    return pool.query(statement)
  }
  await lookupClientOrigins(undefined, createClientOriginStore({ pool: { query } as never }))
  expect(plans).toHaveLength(2)
  for (const plan of plans) expect(plan).toMatch(/Index (Only )?Scan using clients_listed_origins_idx/)
})

test('a list that is too long says so', async () => {
  await shared.query(
    `insert into clients.clients (client_id, client_name, redirect_uris, scope, token_endpoint_auth_method, created_by)
     select 'made-' || n, 'made', array['https://made.example/' || n], 'read', 'none', 'administrator'
     from generate_series(1, $1) as n`,
    [mostOrigins + 10],
  )
  const { clients, incomplete } = await look()
  expect([clients.length, incomplete]).toEqual([mostOrigins, true])
})
