import { expect, test } from 'vitest'
import { updateClient } from '../../src/changes/client-change.ts'
import { actor, useReplicas } from '../registry.ts'
import { documentClients } from './document-clients.ts'

const shared = useReplicas()
const someDocument = documentClients(shared)

test('a client that nobody has used for 90 days is deleted, unless it is disabled', async () => {
  const [unused, used, disabled] = [someDocument(), someDocument(), someDocument()]
  await Promise.all([unused.read(), used.read(), disabled.read()])
  await updateClient(
    { clientId: disabled.clientId, revision: 0n, disabled: true },
    actor,
    shared.replica().changes,
  )
  await shared.query("update clients.client_id_documents set used_at = now() - interval '91 days'")
  await used.documents.noteUse([used.clientId])
  expect(await used.documents.deleteUnused()).toBeGreaterThan(0)
  expect([await unused.find(), (await used.find())?.clientId, (await disabled.find())?.clientId]).toEqual([
    undefined,
    used.clientId,
    disabled.clientId,
  ])
})

test('a client is deleted after 90 days, too, whose process ended before it noted the reading', async () => {
  const { clientId, read, find, documents } = someDocument()
  documents.noteReading = () => Promise.reject(new Error('the process ends'))
  await expect(read()).rejects.toThrow('the process ends')
  const row = () =>
    shared.query(
      'select used_at > now() - make_interval(mins => 1) as used, fresh_until <= now() as old from clients.client_id_documents where client_id = $1',
      [clientId],
    )
  expect([(await find())?.clientId, await row()]).toEqual([clientId, []])
  await documents.deleteUnused()
  expect([(await find())?.clientId, await row()]).toEqual([clientId, [{ used: true, old: true }]])
  await shared.query(
    "update clients.client_id_documents set used_at = now() - interval '91 days' where client_id = $1",
    [clientId],
  )
  expect(await documents.deleteUnused()).toBe(1)
  expect(await find()).toBeUndefined()
})
