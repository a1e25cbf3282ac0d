import { randomUUID } from 'node:crypto'
import { actorMessage } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { describe, expect, test } from 'vitest'
import { adminRpcs } from '../../src/rpc/admin-rpc.ts'
import { resourceServerRpcs } from '../../src/rpc/resource-server-rpc.ts'
import { actor, useReplicas } from '../registry.ts'

// The actions that an administrator of only a part may not take, whatever their scopes are.

const shared = useReplicas()
const [whole, part] = [actorMessage(actor), actorMessage({ ...actor, limited: true })]
const rpcs = () => {
  const { list, changes, keys, imports } = shared.replica().admin
  return adminRpcs({ list, changes, keys, imports })
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

test('binds no client with a scope of the administration to a resource server, and frees none', async () => {
  const { resourceServers } = shared.replica()
  const its = resourceServerRpcs(resourceServers)
  const [plain, powerful] = [await create('read', part), await create('admin:keys:read')]
  const [plainId, powerfulId] = [plain.client?.clientId ?? '', powerful.client?.clientId ?? '']
  const server = (clientId: string) => ({
    ...{
      identifier: `https://${randomUUID()}.example`,
      name: '',
      tokenLifetime: undefined,
      openRegistration: false,
    },
    ...{ scopes: [{ scope: `s${randomUUID()}`, description: 'Use it' }], clientId, disabled: false },
    ...{ roles: [], scopesByRole: false, tokenClaims: [] },
  })
  const made = async (clientId: string, actor = whole) =>
    (await its.createResourceServer({ ...server(clientId), actor }, call)).resourceServer?.resourceId ?? ''
  const bind = (resourceId: string, clientId: string, message = part, by = its) => {
    const unchanged = {
      name: undefined,
      scopes: undefined,
      tokenLifetime: undefined,
      openRegistration: undefined,
      roles: undefined,
      tokenClaims: undefined,
    }
    const wanted = { ...unchanged, disabled: undefined, resourceId, revision: 0n, clientId, actor: message }
    return by.updateResourceServer(wanted, call)
  }
  expect(await codeOf(made(powerfulId, part))).toBe('access_denied')
  const [free, bound] = [await made(plainId, part), await made(powerfulId)]
  expect(await codeOf(bind(free, powerfulId))).toBe('access_denied')
  expect(await codeOf(bind(bound, plainId))).toBe('access_denied')
  expect(await codeOf(bind(bound, powerfulId))).toBe('done')
  expect(await codeOf(bind(bound, ''))).toBe('access_denied')
  expect(await codeOf(its.deleteResourceServer({ resourceId: bound, actor: part }, call))).toBe(
    'access_denied',
  )
  expect(await codeOf(bind(free, ''))).toBe('done')
  expect(await codeOf(bind(free, powerfulId, whole))).toBe('done')
  expect(await codeOf(its.deleteResourceServer({ resourceId: bound, actor: whole }, call))).toBe('done')

  // Somebody else binds it after this administrator's right to change it was looked at.
  const { store } = resourceServers
  const racing = (resourceId: string) =>
    resourceServerRpcs({
      ...resourceServers,
      store: {
        ...store,
        async get(id) {
          const found = await store.get(id)
          await bind(resourceId, powerfulId, whole)
          return found
        },
      },
    })
  const [one, other] = [await made(plainId), await made(plainId)]
  const deletion = { resourceId: one, actor: part }
  expect(await codeOf(racing(one).deleteResourceServer(deletion, call))).toBe('outdated_revision')
  expect(await codeOf(bind(other, '', part, racing(other)))).toBe('outdated_revision')
  for (const resourceId of [one, other]) expect((await store.get(resourceId))?.clientId).toBe(powerfulId)
})
