import { beforeEach, expect, test } from 'vitest'
import { updateClient } from '../src/client-change.ts'
import { lookupClientOrigins, mostOrigins } from '../src/client-origins.ts'
import { createClientOriginStore } from '../src/store/client-origins.ts'
import { actor, useReplicas } from './registry.ts'

const shared = useReplicas()
beforeEach(() => shared.query('truncate clients.clients cascade'))

const look = (known = '', open = true) =>
  lookupClientOrigins(known, createClientOriginStore(shared.replica().database, open))
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

test('clients that registered themselves count only where registration is open, or an administrator named origins', async () => {
  await register(2, 'https://self.example/')
  expect((await look('', true)).clients.map(({ clientId }) => clientId)).toEqual(['self-1', 'self-2'])
  expect((await look('', false)).clients).toEqual([])
  await shared.query(
    `update clients.clients set metadata = '{"allowed_origins":["https://named.example"]}' where client_id = 'self-1'`,
  )
  expect((await look('', false)).clients).toEqual([
    { clientId: 'self-1', origins: ['https://named.example'] },
  ])
})

test('strangers without end do not push out the clients of administrators', async () => {
  await register(mostOrigins + 10, 'https://self.example/')
  const { clientId } = await shared.add({ ...app, redirectUris: ['https://app.example/cb'] })
  const { clients, incomplete } = await look()
  expect(clients[0]).toEqual({ clientId, origins: ['https://app.example'] })
  expect(clients).toHaveLength(mostOrigins)
  expect(incomplete).toBe(true)
})
