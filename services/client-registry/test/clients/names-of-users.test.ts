import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createClient, deleteClient } from '../../src/changes/client-change.ts'
import { importClients } from '../../src/changes/client-import.ts'
import { actor, machine, useReplicas } from '../registry.ts'

const shared = useReplicas()
const usersId = '0190f0a0-1111-7000-8000-00000000000a'

/** A replica whose identity service has a user of this id, and one called Anna. */
function replica() {
  const one = shared.another()
  const taken = new Set([usersId, 'anna'])
  one.askIdentity = async (names) => names.filter((name) => taken.has(name))
  return one
}

const forms = [
  'anna',
  'ANNA',
  usersId,
  usersId.toUpperCase(),
  usersId.replaceAll('-', ''),
  `urn:uuid:${usersId}`,
]

test.each(forms)('an administrator cannot create a client with the id %s of a user', async (clientId) => {
  const { changes } = replica()
  await expect(createClient({ ...machine, clientId }, actor, changes)).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'client_id is the id or the name of a user: choose another one.',
  })
  expect(await shared.query('select 1 from clients.clients where client_id = $1', [clientId])).toEqual([])
})

test('an import creates the others, and says which ids are those of users, in a dry run too', async () => {
  const { admin } = replica()
  const [free, otherFree] = [randomUUID(), randomUUID()]
  const clients = [free, usersId, 'Anna', undefined, otherFree].map((clientId) => ({
    ...{ clientId, firstParty: false, disabled: false, createdAt: undefined },
    registration: { redirectUris: [], grantTypes: ['client_credentials'] },
  }))
  for (const dryRun of [true, false]) {
    const results = await importClients({ clients, dryRun }, actor, admin.imports)
    expect(results.map(({ outcome }) => outcome)).toEqual([
      ...['created', 'invalid', 'invalid'],
      ...['created', 'created'],
    ])
    expect(results[1]?.reason).toBe('client_id is the id or the name of a user: choose another one.')
  }
})

test('nothing is created while the identity service is away', async () => {
  const one = replica()
  one.askIdentity = () => Promise.reject(new Error('the identity service is away'))
  const clientId = randomUUID()
  await expect(createClient({ ...machine, clientId }, actor, one.changes)).rejects.toThrow('away')
  expect(await shared.query('select 1 from clients.clients where client_id = $1', [clientId])).toEqual([])
})

test('a client with the id of a deleted one is created once that one is forgotten everywhere, also when no audit entry tells of it', async () => {
  const one = shared.another()
  const clientId = `shop-${randomUUID()}`
  await createClient({ ...machine, clientId }, actor, one.changes)
  await deleteClient(clientId, actor, one.changes)
  await shared.query('delete from clients.audit_log where target = $1', [clientId])
  one.forgotten.splice(0)
  const away = { ...one.changes, forgetClients: () => Promise.reject(new Error('the token service is away')) }
  await expect(createClient({ ...machine, clientId }, actor, away)).rejects.toThrow('away')
  await createClient({ ...machine, clientId }, actor, one.changes)
  expect(one.forgotten).toEqual([clientId])
  await deleteClient(clientId, actor, one.changes)
  const imported = {
    ...{ clientId, firstParty: false, disabled: false, createdAt: undefined },
    registration: { redirectUris: [], grantTypes: ['client_credentials'] },
  }
  await importClients({ clients: [imported], dryRun: true }, actor, one.admin.imports)
  expect(one.forgotten).toEqual([clientId])
  await importClients({ clients: [imported], dryRun: false }, actor, one.admin.imports)
  expect(one.forgotten).toEqual([clientId, clientId])
})

test('an import creates nothing while the former client of one of its ids cannot be forgotten', async () => {
  const one = shared.another()
  const [fresh, former] = [`shop-${randomUUID()}`, `shop-${randomUUID()}`]
  await createClient({ ...machine, clientId: former }, actor, one.changes)
  await deleteClient(former, actor, one.changes)
  const clients = [fresh, former].map((clientId) => ({
    ...{ clientId, firstParty: false, disabled: false, createdAt: undefined },
    registration: { redirectUris: [], grantTypes: ['client_credentials'] },
  }))
  const forgetClients = () => Promise.reject(new Error('the token service is away'))
  const away = { ...one.admin.imports, forgetClients }
  await expect(importClients({ clients, dryRun: false }, actor, away)).rejects.toThrow('away')
  expect(
    await shared.query('select 1 from clients.clients where client_id = any($1)', [[fresh, former]]),
  ).toEqual([])
})

test('a client that gets a generated id needs no identity service', async () => {
  const one = replica()
  one.askIdentity = () => Promise.reject(new Error('the identity service is away'))
  const { client } = await createClient(machine, actor, one.changes)
  expect(client.clientId).toMatch(/^client_/)
})

test('the registry says which names are ids of clients, ignoring case', async () => {
  const { clientId } = await shared.add({ clientId: `Shop-${randomUUID()}` })
  const names = [clientId.toLowerCase(), 'nobody', '']
  expect(await shared.replica().findTakenNames(names)).toEqual([clientId.toLowerCase()])
})
