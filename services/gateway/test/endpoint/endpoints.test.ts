import { buckets } from '@gatehouse/proto/limits'
import { profileNames } from '@gatehouse/proto/profiles'
import type { RouteOptions } from 'fastify'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, endpoint } from '../../src/endpoint/endpoint.ts'
import { metadataOf } from '../../src/endpoint/merge-metadata.ts'
import { address, flag } from '../../src/endpoint/metadata.ts'
import { openidConnect } from '../../src/endpoint/part.ts'
import { bucketOf } from '../../src/limits/limit-table.ts'
import { endpoints } from '../../src/server.ts'
import { gateway, issuer } from '../../testing/gateway.ts'

const list: readonly Endpoint<never>[] = endpoints
const named = (name: string | undefined) => list.find((one) => one.name === name)

describe('each route of a server with everything on', () => {
  let routes: RouteOptions[]
  beforeAll(async () => {
    const on = { openid: true, registration: { mode: 'open', token: undefined, full: true } } as const
    const { app, routes: declared } = await gateway({
      ...{ ...on, organizations: true, pushedRequestMode: 'on' },
      corsOrigins: ['https://app.example'],
      documentation: 'where no site was built',
    })
    await app.ready()
    // The plugin for pages of other origins answers their preflights at every path.
    routes = declared.filter(({ url }) => url !== '*')
  })

  const named = (which: (route: RouteOptions) => boolean) =>
    routes.filter(which).map(({ method, url }) => `${method} ${url}`)

  test('belongs to an endpoint of the list, and each endpoint has routes', () => {
    const known = new Set(list.map(({ name }) => name))
    expect(known.size).toBe(list.length)
    expect(named(({ config }) => !known.has(config?.endpoint ?? ''))).toEqual([])
    const used = new Set(routes.map(({ config }) => config?.endpoint))
    expect([...known].filter((name) => !used.has(name))).toEqual([])
  })

  test('has a limit, by client only behind the door at which clients are counted', () => {
    expect(named(({ config }) => !buckets.includes(bucketOf(config ?? {})))).toEqual([])
    const byClient = routes.filter(({ config }) => config?.limitByClient)
    expect(byClient.length).toBeGreaterThan(0)
    expect(byClient.filter(({ config }) => doorOf(config?.endpoint) !== 'clients')).toEqual([])
    const ofAdministrators = routes.filter(({ config }) => doorOf(config?.endpoint) === 'administrators')
    expect(ofAdministrators.filter(({ config }) => !config?.limitByAdministrator)).toEqual([])
  })

  test('says in which profiles it is, as its endpoint does', () => {
    const ofParts = list.filter(({ part }) => part !== undefined)
    expect(ofParts.length).toBeGreaterThan(0)
    for (const { name, part } of ofParts) {
      expect(part?.presence.profiles.length).toBeLessThan(profileNames.length)
      const own = routes.filter(({ config }) => config?.endpoint === name)
      expect(own.length).toBeGreaterThan(0)
      expect(own.filter(({ config }) => config?.presence !== part?.presence)).toEqual([])
    }
  })

  test('is in a group of the OpenAPI document, unless it is hidden', () => {
    const grouped = ({ schema }: RouteOptions) => (schema?.tags?.length ?? 0) === 1
    expect(named((route) => !route.schema?.hide && !grouped(route))).toEqual([])
  })
})

function doorOf(name: string | undefined): string | undefined {
  return named(name)?.door
}

describe('the metadata documents', () => {
  const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']
  const documents = async (openid: boolean) => {
    const { send } = await gateway({ openid })
    return Promise.all(paths.map(async (path) => JSON.parse((await send('GET', path)).text)))
  }

  test('have the fields of a part only where it is on', async () => {
    for (const document of await documents(false)) expect(document).not.toHaveProperty('userinfo_endpoint')
    for (const document of await documents(true))
      expect(document.userinfo_endpoint).toBe(`${issuer}/oauth/userinfo`)
  })

  test('keep what only the one of OAuth has', async () => {
    for (const openid of [false, true]) {
      const [ofOpenid, ofOauth] = await documents(openid)
      const field = 'revocation_endpoint_auth_methods_supported'
      expect(ofOpenid).not.toHaveProperty(field)
      expect(ofOauth).toHaveProperty(field)
      expect(Object.hasOwn(ofOpenid, 'registration_endpoint')).toBe(openid)
      expect(ofOauth).toHaveProperty('registration_endpoint')
    }
  })

  const pushed = endpoint({
    name: 'pushed requests',
    door: 'clients',
    part: openidConnect,
    metadata: ({ issuer }: { issuer: string }) => ({
      pushed_authorization_request_endpoint: address(`${issuer}/oauth/par`),
      require_pushed_authorization_requests: flag(false),
    }),
  })

  test('get a field from the endpoint that tells it, with the words of its part', () => {
    const field = 'pushed_authorization_request_endpoint'
    const [on, off] = [true, false].map((openid) => metadataOf([pushed], { issuer, openid })[field])
    expect(on?.value).toBe(`${issuer}/oauth/par`)
    expect(off?.value).toBeUndefined()
    expect(off?.schema).toMatchObject({ description: openidConnect.presence.sentence })
  })

  test('two endpoints cannot tell the same field', () => {
    const other = { ...pushed, name: 'another one' }
    expect(() => metadataOf([pushed, other], { issuer, openid: true })).toThrow(
      /another one: .* told already/,
    )
  })
})

test('an endpoint of a part that is off has no routes', async () => {
  const { app, routes } = await gateway()
  await app.ready()
  const declared = new Set(routes.map(({ config }) => config?.endpoint))
  expect(list.filter(({ name, part }) => part && declared.has(name))).toEqual([])
  expect(declared.has('token')).toBe(true)
})
