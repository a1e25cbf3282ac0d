import { describe, expect, test } from 'vitest'
import {
  deleteConnection,
  type SentChange,
  updateConnection,
} from '../../src/connections/connection-change.ts'
import { createOrganizationChangeStore } from '../../src/store/organizations/organization-changes.ts'
import { addOrganization } from '../organizations/organizations.ts'
import { actor } from '../store/replica.ts'
import { keepEvents, storedEvents } from '../store/stored-events.ts'
import { useConnections } from './connections.ts'

const { shared, deps, add } = useConnections()
const change = (connectionId: string, fields: Partial<SentChange>) =>
  updateConnection({ connectionId, revision: 0n, ...fields }, actor, deps())

describe('events', () => {
  test('tell of each change of a connection, without its values', async () => {
    const organization = await addOrganization(shared.replica(), {})
    const { organizationId } = organization
    const { connectionId } = await add({ organizationId })
    await change(connectionId, { name: 'Other', clientSecret: 'another secret' })
    await change(connectionId, { name: 'Other' })
    await change(connectionId, { disabled: true, onLoginPage: false })
    await change(connectionId, { disabled: false })
    await deleteConnection({ connectionId }, actor, deps())
    const events = await storedEvents(shared.query, connectionId)
    const of = { connection_id: connectionId, organization_id: organizationId }
    expect(events.map(({ type, metadata }) => [type, metadata])).toEqual([
      ['connection_created', { ...of, kind: 'oidc' }],
      ['connection_updated', { ...of, changed: 'name credentials' }],
      ['connection_disabled', of],
      ['connection_updated', { ...of, changed: 'on_login_page' }],
      ['connection_updated', { ...of, changed: 'disabled' }],
      ['connection_deleted', of],
    ])
  })

  test('say that a connection is of the instance, and that it was deleted with its organization', async () => {
    const { connectionId } = await add()
    expect(await storedEvents(shared.query, connectionId)).toMatchObject([
      { metadata: { organization_id: '' } },
    ])
    const { organizationId } = await addOrganization(shared.replica(), {})
    const theirs = await add({ organizationId })
    const store = createOrganizationChangeStore(shared.replica().database, {
      keepEvent: keepEvents,
      recorded: true,
    })
    expect(await store.delete(organizationId, actor, () => {})).toHaveLength(1)
    const events = await storedEvents(shared.query, theirs.connectionId)
    expect(events.map(({ type }) => type)).toEqual(['connection_created', 'connection_deleted'])
  })
})
