import { createHash, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createClient, deleteClient } from '../../src/changes/client-change.ts'
import { actor, useReplicas } from '../registry.ts'

const shared = useReplicas()
const secret = 'a secret from the vault of the team'
const create = (chosen: { clientId?: string; clientSecret?: string; tokenEndpointAuthMethod?: string }) =>
  createClient(
    { redirectUris: [], grantTypes: ['client_credentials'], firstParty: false, ...chosen },
    actor,
    shared.replica().admin.changes,
  )
const idOf = () => `billing-${randomUUID()}`

test('a client has the id and the secret that an administrator chose, and the secret is not told again', async () => {
  const clientId = idOf()
  const { client, clientSecret } = await create({ clientId, clientSecret: secret })
  expect([client.clientId, client.clientName, clientSecret]).toEqual([clientId, clientId, undefined])
  const [stored] = await shared.replica().store.find([clientId])
  expect(stored?.secrets.map(({ digest }) => Buffer.from(digest))).toEqual([
    createHash('sha256').update(secret).digest(),
  ])
  expect(JSON.stringify(await shared.auditOf(clientId))).not.toContain(secret)
})

test('one of them may be new', async () => {
  const { clientSecret } = await create({ clientId: idOf() })
  expect(clientSecret).toMatch(/^.{40,}$/)
  const { client } = await create({ clientSecret: secret })
  expect(client.clientId).toMatch(/^client_/)
})

test.each<[string, { clientId?: string; clientSecret?: string }, string]>([
  ['an id with a slash', { clientId: 'a/b' }, 'client_id must have 1 to 200 letters'],
  ['the address of a document', { clientId: 'https://app.example' }, 'client_id must have 1 to 200 letters'],
  ['an id that no page can name', { clientId: 'new' }, 'client_id must not be new'],
  ['a short secret', { clientSecret: 'x'.repeat(19) }, 'client_secret must have 20 to 512'],
  ['a secret with other characters', { clientSecret: 'ü'.repeat(20) }, 'client_secret must have 20 to 512'],
])('refuses %s', async (_, chosen, description) => {
  await expect(create(chosen)).rejects.toMatchObject({
    code: 'invalid_request',
    description: expect.stringContaining(description),
  })
})

test('an id is taken once, also by two at the same time', async () => {
  const clientId = idOf()
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => create({ clientId })))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(create({ clientId })).rejects.toMatchObject({ description: 'client_id is already taken.' })
})

test('the id that this server gave to a client that is deleted cannot be chosen; any other can', async () => {
  const { changes } = shared.replica().admin
  const { clientId } = (await create({})).client
  await deleteClient(clientId, actor, changes)
  await expect(create({ clientId })).rejects.toMatchObject({
    description: 'client_id was the id of a client that was deleted: choose another one.',
  })
  const chosen = idOf()
  await create({ clientId: chosen })
  await deleteClient(chosen, actor, changes)
  expect((await create({ clientId: chosen })).client.clientId).toBe(chosen)
})
