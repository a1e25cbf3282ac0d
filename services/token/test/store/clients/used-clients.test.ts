import { randomUUIDv7 } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createAuthorizationFlowStore } from '../../../src/store/authorization-flows.ts'
import { findUsedClientsIn } from '../../../src/store/used-clients.ts'
import { clientGrant } from '../../tokens/granted.ts'
import { useDatabase } from '../database.ts'
import { authorizationRequest, startReplica } from '../replica.ts'

const shared = useDatabase()
let replica: ReturnType<typeof startReplica>
beforeEach(async () => {
  replica = startReplica(shared.database)
  await shared.query('truncate token.access_tokens, token.client_usage, token.authorization_flows')
})

const used = () => findUsedClientsIn(shared.database)(['client_a', 'client_b', 'client_codes'])

test('a client with a token is used before its usage is stored, and when the token has been revoked', async () => {
  expect(await used()).toEqual([])
  const { accessToken } = await replica.logIn()
  expect(await used()).toEqual(['client_a'])
  await replica.revoke(accessToken)
  expect(await used()).toEqual(['client_a'])
})

test('a client is used as long as its usage is remembered, whatever has become of its tokens', async () => {
  await replica.logIn()
  await replica.writeUsage()
  await shared.query('truncate token.access_tokens')
  expect(await used()).toEqual(['client_a'])
})

test('a client whose user is asked at this moment is used', async () => {
  const grant = clientGrant({ clientId: 'client_codes' })
  const flow = { ...authorizationRequest, id: randomUUIDv7(), grant }
  await createAuthorizationFlowStore(shared.database).add({
    ...flow,
    ...{ openid: undefined, namedOrganization: undefined, lifetime: 600 },
  })
  expect(await used()).toEqual(['client_codes'])
  await shared.query('update token.authorization_flows set expires_at = now()')
  expect(await used()).toEqual([])
})
