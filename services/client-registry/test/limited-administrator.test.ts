import { actorMessage } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import { adminRpcs } from '../src/admin-rpc.ts'
import { actor, useReplicas } from './registry.ts'

// What an administrator of only a part may not do, whatever their scopes are.

const shared = useReplicas()
const [whole, part] = [actorMessage(actor), actorMessage({ ...actor, limited: true })]
const rpcs = () => {
  const { list, changes, imports } = shared.replica().admin
  return adminRpcs({ list, changes, imports })
}
const call = {} as never
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Refusal) return error.code
      throw error
    },
  )

const create = (scope: string, message = whole) => {
  const registration = { clientName: 'Robot', redirectUris: [], grantTypes: ['client_credentials'], scope }
  const rest = { tokenEndpointAuthMethod: undefined, metadata: undefined }
  return rpcs().createClient(
    { registration: { ...registration, ...rest }, firstParty: false, actor: message },
    call,
  )
}
const change = (clientId: string, wanted: object, message: typeof part) => {
  const unchanged = {
    ...{ clientName: undefined, redirectUris: undefined, grantTypes: undefined, scope: undefined },
    ...{ firstParty: undefined, disabled: undefined, metadata: undefined, revision: 0n },
  }
  return rpcs().updateClient({ ...unchanged, clientId, ...wanted, actor: message }, call)
}

test.each(['admin', 'read admin:users:write'])('gives no client the scope %s', async (scope) => {
  expect(await codeOf(create(scope, part))).toBe('access_denied')
  const clientId = (await create('read')).client?.clientId ?? ''
  expect(await codeOf(change(clientId, { scope }, part))).toBe('access_denied')
  expect(await codeOf(change(clientId, { scope: 'read write' }, part))).toBe('done')
  expect(await codeOf(change(clientId, { scope }, whole))).toBe('done')
})

const acts: Record<string, (clientId: string, message: typeof part) => Promise<unknown>> = {
  rename: (clientId, message) => change(clientId, { clientName: 'Another' }, message),
  'take the scope from': (clientId, message) => change(clientId, { scope: 'read' }, message),
  'get a new secret of': (clientId, message) =>
    rpcs().rotateClientSecret({ clientId, overlapSeconds: 0, actor: message }, call),
  delete: (clientId, message) => rpcs().deleteClient({ clientId, actor: message }, call),
}

describe.each(Object.entries(acts))('an administrator of a part may %s', (_, act) => {
  test('a client, but none with a scope of the administration', async () => {
    const [plain, powerful] = [await create('read', part), await create('read admin:keys:read')]
    expect(await codeOf(act(powerful.client?.clientId ?? '', part))).toBe('access_denied')
    expect(await codeOf(act(plain.client?.clientId ?? '', part))).toBe('done')
    expect(await codeOf(act(powerful.client?.clientId ?? '', whole))).toBe('done')
  })
})
