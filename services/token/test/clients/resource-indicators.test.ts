import { describe, expect, test } from 'vitest'
import {
  consentScopeOf,
  grantTargetScope,
  identifiersOf,
  requestedResources,
  type TargetingClient,
} from '../../src/clients/resource-indicators.ts'
import { files, filesServer, someServer, startResources, tools } from './resource-registry.ts'

const client: TargetingClient = { scope: 'read tools:use files:read', scopeSetBy: 'administrator' }

describe('the target of a request', () => {
  test('is the requested resource servers, each once', async () => {
    const { indicators } = await startResources(someServer(), filesServer())
    expect(identifiersOf(await indicators.targetOf([files, tools, files], client))).toEqual([files, tools])
    expect(identifiersOf(await indicators.targetOf([], client))).toEqual([])
  })

  test('is the same with and without the slash of an empty path', async () => {
    const { indicators } = await startResources(someServer())
    expect(identifiersOf(await indicators.targetOf([`${tools}/`], client))).toEqual([tools])
    expect(identifiersOf(await indicators.targetOf([`${tools}/`, tools], client))).toEqual([tools])
  })

  test.each<[string, string[], RegExp]>([
    ['an unknown one', ['https://other.example'], /no such resource server/],
    ['another spelling', ['https://TOOLS.example', `${tools}//`], /no such resource server/],
    ['a disabled one', [files], /no such resource server/],
    ['one of two that is unknown', [tools, 'https://other.example'], /no such resource server/],
    ['a relative URI', ['/tools'], /absolute URI/],
    ['a fragment', [`${tools}#a`], /fragment/],
    ['a space', [`${tools} ${tools}`], /absolute URI/],
    ['too many', Array.from({ length: 11 }, (_, index) => `${tools}/${index}`), /at most 10/],
  ])('is not %s: invalid_target', async (_, requested, description) => {
    const { indicators } = await startResources(someServer(), filesServer({ disabled: true }))
    await expect(indicators.targetOf(requested, client)).rejects.toMatchObject({
      code: 'invalid_target',
      description: expect.stringMatching(description),
    })
  })

  test('is only an open resource server for a client that decided its scope itself, also where both know the scope', async () => {
    const { indicators, put, refresh } = await startResources(
      someServer({ openRegistration: true }),
      filesServer(),
    )
    const registered: TargetingClient = { ...client, scopeSetBy: 'registration' }
    expect(identifiersOf(await indicators.targetOf([tools], registered))).toEqual([tools])
    await expect(indicators.targetOf([files], registered)).rejects.toMatchObject({ code: 'invalid_target' })
    expect(indicators.usable([tools, files], registered)).toEqual([tools])
    put(someServer())
    await refresh()
    await expect(indicators.targetOf([tools], registered)).rejects.toMatchObject({ code: 'invalid_target' })
  })

  test('is not a resource server of whose scopes the client has none', async () => {
    const { indicators } = await startResources(someServer(), filesServer())
    await expect(
      indicators.targetOf([tools], { scope: 'read files:read', scopeSetBy: 'administrator' }),
    ).rejects.toMatchObject({
      code: 'invalid_target',
    })
  })

  test('may be one that was created a moment ago; without any, the registry is not asked', async () => {
    const { indicators, put, asked } = await startResources()
    await indicators.targetOf([], client)
    expect(asked()).toBe(1)
    put(someServer())
    expect(identifiersOf(await indicators.targetOf([tools], client))).toEqual([tools])
    expect(asked()).toBe(2)
  })

  test('is unknown when the registry has been away for some seconds', async () => {
    const { indicators, goAway, pass, refresh } = await startResources(someServer())
    goAway()
    pass(5_000)
    await refresh().catch(() => undefined)
    expect(identifiersOf(await indicators.targetOf([tools], client))).toEqual([tools])
    pass(1_000)
    await expect(indicators.targetOf([tools], client)).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    })
    expect(indicators.areEnabled([tools])).toBe(true)
  })
})

describe('the scope for a target', () => {
  const grant = async (requested: string, resources: string[], scope = client.scope) => {
    const { indicators } = await startResources(
      someServer({
        scopes: new Map([
          ['tools:use', 'Use its tools'],
          ['read', 'Read with them'],
        ]),
      }),
      filesServer(),
    )
    return grantTargetScope(requested, await indicators.targetOf(resources, { ...client, scope }), { scope })
  }

  test.each<[string, string, string[], string]>([
    ['nothing is named: the scopes of the server itself', '', [], 'read'],
    ['one is named: also its own', '', [tools], 'read tools:use'],
    ['another is named', '', [files], 'read files:read'],
    ['both are named', '', [files, tools], client.scope],
    ['a part is requested', 'tools:use', [tools], 'tools:use'],
    ['a scope that also the server has is requested without it', 'read', [], 'read'],
  ])('when %s', async (_, requested, resources, scope) => {
    expect(await grant(requested, resources)).toBe(scope)
  })

  test.each<[string, string, string[], string, string?]>([
    ['of a resource server that is not named', 'tools:use', [], 'invalid_scope'],
    ['of another one than the one that is named', 'tools:use files:read', [tools], 'invalid_scope'],
    ['that the client does not have', 'write', [tools], 'invalid_scope'],
    ['with nothing of the named resource server', 'read', [files], 'invalid_target'],
    [
      'when the client has scopes of resource servers only, and names none',
      '',
      [],
      'invalid_scope',
      'tools:use',
    ],
  ])('is refused %s', async (_, requested, resources, code, scope) => {
    await expect(grant(requested, resources, scope)).rejects.toMatchObject({ code })
  })
})

test('a consent remembers each resource server with its own scopes, and the page has their words', async () => {
  const { indicators } = await startResources(someServer(), filesServer())
  const target = await indicators.targetOf([tools, files], client)
  expect(consentScopeOf(client.scope, target)).toBe('read tools-id"tools:use files-id"files:read')
  expect(requestedResources(client.scope, target)).toEqual([
    { identifier: tools, name: 'Tools', scope: 'tools:use', descriptions: ['Use its tools'] },
    { identifier: files, name: 'Files', scope: 'files:read', descriptions: ['Read its files'] },
  ])
})
