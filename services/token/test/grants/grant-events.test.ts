import { expect, test } from 'vitest'
import type { UserCredentials } from '../../src/grants/password.ts'
import { usersClient } from '../clients/clients.ts'
import { start } from './answering-grants.ts'
import { unasked } from './grant-deps.ts'

test('a password is checked with who sent it, and an unknown grant is counted as that', async () => {
  const sent: UserCredentials[] = []
  const authenticateUser = async (credentials: UserCredentials) => {
    sent.push(credentials)
    return { outcome: 'refused' } as const
  }
  const passwordGrants = { add: async () => undefined }
  const store = { insert: unasked, now: async () => 'then' }
  const { issue, counted } = start({ authenticateUser, passwordGrants, store })
  await expect(issue('password', { username: 'ann', password: 'hers' })).rejects.toThrow()
  expect(sent).toEqual([{ username: 'ann', password: 'hers', ipAddress: '192.0.2.1', clientId: 'client_a' }])
  await expect(issue('implicit', {})).rejects.toThrow()
  expect(counted).toEqual([
    ['refused', 'password', 'invalid_grant', 'client_a'],
    ['refused', 'unknown', 'unsupported_grant_type', undefined],
  ])
})

test('a token of a client itself is told with its grant, also without a scope in the request', async () => {
  const client = usersClient({ grantTypes: new Set(['client_credentials']) })
  const { issue, events } = start({ store: { insert: async () => undefined, now: unasked } }, client)
  expect(await issue('client_credentials', {})).toMatchObject({ scope: 'read write' })
  expect(events.at(-1)).toEqual({
    ...{ type: 'token_created', clientId: 'client_a' },
    metadata: { token_id: expect.any(String), grant_type: 'client_credentials', scope: 'read write' },
  })
})
