import { recordedEvents } from '@gatehouse/kit/testing/recorded-events'
import { expect, test } from 'vitest'
import { announcedRevocations } from '../../src/administration/announced-revocations.ts'
import type { Revocation } from '../../src/tokens/access-token-store.ts'

const organization = 'org_01980000-0000-7000-8000-000000000001'

test.each<[Revocation['kind'], string, { userId?: string; clientId?: string }]>([
  ['grant', 'grant-1', {}],
  ['user', 'user-1', { userId: 'user-1' }],
  ['client', 'client_a', { clientId: 'client_a' }],
  ['consent', 'user-1:client_a', { userId: 'user-1', clientId: 'client_a' }],
  ['consent', 'user-1:https://app.example/c', { userId: 'user-1', clientId: 'https://app.example/c' }],
  ['consent', `user-1:client_a:${organization}`, { userId: 'user-1', clientId: 'client_a' }],
  [
    'consent',
    `user-1:https://app.example/c:${organization}`,
    { userId: 'user-1', clientId: 'https://app.example/c' },
  ],
  ['organization', organization, {}],
  ['membership', `user-1:${organization}`, { userId: 'user-1' }],
])('the revocation of a %s, %s, is told once it is stored', async (kind, id, { userId, clientId }) => {
  const { emit, events } = recordedEvents()
  const stored: unknown[] = []
  const add = async (revocation: Revocation) => {
    expect(events).toEqual([])
    stored.push(revocation)
  }
  const revocation: Revocation = { kind, id, issuedBefore: 'now' }
  await announcedRevocations({ add }, emit).add(revocation)
  expect(stored).toEqual([revocation])
  expect(events).toEqual([{ type: 'token_revoked', userId, clientId, metadata: { kind, id } }])
})

test('a revocation that was not stored is not told', async () => {
  const { emit, events } = recordedEvents()
  const add = () => Promise.reject(new Error('away'))
  await expect(
    announcedRevocations({ add }, emit).add({ kind: 'user', id: 'u', issuedBefore: 'now' }),
  ).rejects.toThrow('away')
  expect(events).toEqual([])
})
