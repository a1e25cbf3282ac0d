import { readFile } from 'node:fs/promises'
import { type Profile, profileNames } from '@gatehouse/proto/profiles'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { gatewayAlone } from '../../../tools/openapi-document.ts'

// The words of docs/reference/openapi.json about profiles, held against gateways with these profiles.

type Operation = { description?: string; 'x-gatehouse-profiles': Profile[] }
type Field = Partial<Operation>
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { properties: Record<string, Field> }> }
}

const documented = JSON.parse(
  await readFile(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as Document

/** The operations of a document, each with its profiles. */
function operationsOf({ paths }: Document): Map<string, Profile[]> {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, { 'x-gatehouse-profiles': profiles }]) => [`${method} ${path}`, profiles] as const,
    ),
  )
  return new Map(operations.sort())
}

/** The documents at which clients look, with their schemas. */
const metadata = [
  { path: '/.well-known/openid-configuration', schema: 'OpenidConfiguration' },
  { path: '/.well-known/oauth-authorization-server', schema: 'AuthorizationServerMetadata' },
]

const operations = [...operationsOf(documented)]
const namesIn = (profile: Profile) =>
  operations.filter(([, profiles]) => profiles?.includes(profile)).map(([name]) => name)

test('each operation names profiles, and says it where it is not in all', () => {
  for (const item of Object.values(documented.paths))
    for (const { description = '', 'x-gatehouse-profiles': profiles } of Object.values(item)) {
      expect(profiles?.length).toBeGreaterThan(0)
      expect(profileNames).toEqual(expect.arrayContaining(profiles))
      const everywhere = profiles.length === profileNames.length
      expect(description.includes('in the profile')).toBe(!everywhere)
      for (const profile of everywhere ? [] : profiles) expect(description).toContain(`\`${profile}\``)
    }
  expect(namesIn('interface').length).toBeLessThan(operations.length)
})

test.each(['TokenResponse', 'RegisteredClient', 'ClientMetadata', ...metadata.map(({ schema }) => schema)])(
  'some fields of %s name profiles, and say it',
  (schema) => {
    const fields = Object.values(documented.components.schemas[schema]?.properties ?? {})
    const marked = fields.filter(({ 'x-gatehouse-profiles': profiles }) => profiles !== undefined)
    expect(marked.length).toBeGreaterThan(0)
    for (const { description, 'x-gatehouse-profiles': profiles } of marked)
      for (const profile of profiles ?? []) expect(description).toContain(`\`${profile}\``)
  },
)

test.each(profileNames)(
  'a gateway with the profile %s describes the operations of that profile',
  async (profile) => {
    const app = await gatewayAlone(profile)
    const own = operationsOf(app.swagger() as unknown as Document)
    await app.close()
    expect([...own]).toEqual(operations.filter(([, profiles]) => profiles.includes(profile)))
  },
)

describe.each(['interface', 'mcp'] as const)('a system with the profile %s', (profile) => {
  let system: TestSystem
  beforeAll(async () => {
    system = await sharedTestSystem(profile === 'interface' ? {} : { OAUTH2_PROFILE: profile })
  })

  test('has the operations of the profile, and no others', async () => {
    const present = namesIn(profile)
    for (const [name] of operations) {
      const [method = '', path = ''] = name.split(' ')
      const { status } = await system.request(path.replaceAll(/\{\w+\}/g, 'google'), {
        method: method.toUpperCase(),
        redirect: 'manual',
      })
      const othersOfPath = present.some((other) => other.split(' ')[1] === path)
      // There is no connection `google`, and so no keys of it.
      const isAbsent = status === 404 && path.endsWith('/jwks')
      if (present.includes(name) && !isAbsent)
        expect([name, status]).not.toEqual([name, expect.toBeOneOf([404, 405])])
      else if (present.includes(name)) expect(path).toContain('/auth/connections/')
      else expect([name, status]).toEqual([name, othersOfPath ? 405 : 404])
    }
  })

  test.each(metadata)('has the fields of the profile at $path', async ({ path, schema }) => {
    const document = (await (await system.request(path)).json()) as object
    const { properties } = documented.components.schemas[schema] ?? {}
    for (const [name, { 'x-gatehouse-profiles': profiles }] of Object.entries(properties ?? {}))
      if (profiles) expect([name, Object.hasOwn(document, name)]).toEqual([name, profiles.includes(profile)])
  })

  test('describes itself so', async () => {
    const own = (await (await system.request('/openapi.json')).json()) as Document
    expect([...operationsOf(own)]).toEqual(operations.filter(([, profiles]) => profiles.includes(profile)))
  })
})
