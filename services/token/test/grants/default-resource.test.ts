import { expect, test } from 'vitest'
import { grantTargetScope, identifiersOf, requestedOrDefault } from '../../src/clients/resource-indicators.ts'
import { usersClient } from '../clients/clients.ts'
import { files, filesServer, someServer, startResources, tools } from '../clients/resource-registry.ts'

const scope = 'read openid tools:use files:read'
const client = usersClient({ scope, scopeSetBy: 'administrator', metadata: { default_resource: tools } })

test.each<[string, string[], string, string[]]>([
  ['the named one', [files], 'files:read', [files]],
  ['the default one where none is named', [], 'tools:use', [tools]],
  ['none where the scope has openid', [], 'openid read', []],
  ['none where the whole scope of the client has openid', [], '', []],
  ['the named one with openid', [tools], 'openid tools:use', [tools]],
])('a request is for %s', (_, resources, requested, expected) => {
  expect(requestedOrDefault({ resources, scope: requested }, client)).toEqual(expected)
})

test('the default is judged as if it were named', async () => {
  const { indicators } = await startResources(someServer(), filesServer())
  const target = (who = client) =>
    indicators.targetOf(requestedOrDefault({ resources: [], scope: 'read' }, who), who)
  expect(identifiersOf(await target())).toEqual([tools])
  const unknown = { ...client, metadata: { default_resource: 'https://gone.example' } }
  await expect(target(unknown)).rejects.toMatchObject({ code: 'invalid_target' })
  const withoutScope = { ...client, scope: 'read' }
  await expect(target(withoutScope)).rejects.toMatchObject({ code: 'invalid_target' })
  expect(identifiersOf(await target({ ...client, metadata: {} }))).toEqual([])
})

test('the refusal of a scope says to which resource server it belongs', async () => {
  const { indicators } = await startResources(someServer(), filesServer())
  const target = await indicators.targetOf([tools], client)
  expect(() => grantTargetScope('tools:use files:read', target, client)).toThrow(
    `The scope files:read belongs to the resource server ${files}, that the request does not name: send resource=${files}.`,
  )
})
