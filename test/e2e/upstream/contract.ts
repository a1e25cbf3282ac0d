import { browse, type CookieJar } from '@gatehouse/test/browser/browser-login'
import { expect, test } from 'vitest'
import { isActive } from '../logins/login-people.ts'
import { answerPages } from './provider-pages.ts'
import {
  api,
  type Connection,
  logInThrough,
  logInToApp,
  readersByGroup,
  type UpstreamWorld,
  type Visitor,
} from './upstream-world.ts'

/** Somebody at a provider. */
export type ProviderUser = { username: string }

/** A real provider, with Gatehouse as its client. */
export type RealProvider = {
  baseUrl: string
  issuer: string
  client: { client_id: string; client_secret: string }
  /** The scope at which it tells groups. */
  scope: string
  /** Registers the addresses of connections at the client. */
  register(connections: Connection[]): Promise<void>
  /** Adds somebody with a verified address, who is in the group `dev`. */
  addUser(username: string): Promise<ProviderUser>
  removeFromGroup(user: ProviderUser): Promise<void>
  /** Signs with a new key from now on, and withdraws the former ones. */
  rotateKeys(): Promise<void>
}

/** A provider, and a connection of the instance to it. */
export type Connected = { world: UpstreamWorld; provider: RealProvider; connection: Connection }

/** Connects a system to a provider by the issuer alone. */
export async function connect(world: UpstreamWorld, provider: RealProvider): Promise<Connected> {
  const connection = await world.admin<Connection>('POST', 'connections', settingsFor(provider))
  await provider.register([connection])
  return { world, provider, connection }
}

/** Creates another connection, and waits until the login page, which keeps its list for some seconds, has it. Call it in a test. */
export async function addConnection(world: UpstreamWorld, settings: object): Promise<Connection> {
  const connection = await world.admin<Connection>('POST', 'connections', settings)
  const loginPage = async () => (await browse(world.system, new Map(), '/auth/login')).text()
  await expect.poll(loginPage).toContain(connection.connection_id)
  return connection
}

/** A connection to a provider, as it is created. */
export function settingsFor({ issuer, client, scope }: RealProvider) {
  const name = 'The provider'
  return { kind: 'oidc', name, issuer, ...client, scope, new_users: 'always', mapping: readersByGroup }
}

/** Somebody in a browser, with their cookies at the provider. */
export type ProviderVisitor = Visitor & {
  there: CookieJar
  /** Whether the provider asked for their password the last time. */
  wasAsked(): boolean
}

/** Somebody in a new browser, who is logged in nowhere. */
export function visitorOf({ provider }: Connected, user: ProviderUser): ProviderVisitor {
  const there: CookieJar = new Map()
  let asked = false
  return {
    ...{ jar: new Map(), there },
    async answer(address) {
      const answer = await answerPages(provider, { ...user, jar: there }, address)
      asked = answer.asked
      return answer.back
    },
    wasAsked: () => asked,
  }
}

/** In milliseconds. On a busy machine a provider takes long to make a key. */
export const patience = 180_000

/** Tests that a connection to a real provider does what docs/people/connections.md says. */
export function upstreamContract(there: () => Connected): void {
  test('an issuer that is not the text of the metadata is refused, with the text that is right', async () => {
    const { world, provider } = there()
    const { issuer, baseUrl } = provider
    const refusalOf = async (wrong: string) => {
      const settings = { ...settingsFor(provider), issuer: wrong }
      const { status, text } = await world.tried('POST', 'connections', settings)
      return [status, JSON.parse(text).error_description]
    }
    const metadata = `${issuer}/.well-known/openid-configuration`
    expect(await refusalOf(`${issuer}/`)).toEqual([
      400,
      `issuer: the metadata at ${metadata} cannot be used: its issuer is ${issuer}, which must be the same text.`,
    ])
    expect(await refusalOf(metadata)).toEqual([
      400,
      'issuer must be the issuer itself and not the address of its metadata.',
    ])
    expect(await refusalOf(baseUrl)).toEqual([
      400,
      expect.stringContaining(`${baseUrl}/.well-known/openid-configuration cannot be used: `),
    ])
    expect((await refusalOf(baseUrl))[1]).toContain('it answered 404 instead of 200')
  })

  test('a test login shows what came and what the mapping gives, and stores nothing', async () => {
    const { world, provider, connection } = there()
    const visitor = { ...visitorOf(there(), await provider.addUser('tess')), jar: world.root }
    const path = `/auth/login/${connection.connection_id}?test=yes&return_to=%2Fadmin`
    const page = await (await logInThrough(world, visitor, path)).text()
    expect(page).toContain('A new user would be created.')
    expect(page).toContain('tess@acme.example')
    expect(page).toContain(`<bdi>reader</bdi> (<bdi>${api}</bdi>)`)
    const { items } = await world.admin<{ items: unknown[] }>('GET', 'users?search=tess')
    expect(items).toEqual([])
  })

  test('a first login creates a user, whose group there is a role here until they leave it', async () => {
    const { world, provider, connection } = there()
    const user = await provider.addUser('ann')
    const first = await logInToApp(world, visitorOf(there(), user), connection)
    expect(first.claims.roles).toEqual(['reader'])
    const { items } = await world.admin<{ items: Record<string, unknown>[] }>('GET', 'users?search=ann')
    expect(items).toMatchObject([{ email: 'ann@acme.example', email_verified: true, name: 'Ann Example' }])

    await provider.removeFromGroup(user)
    expect(await isActive(world.system, first.accessToken)).toBe(true)
    const second = await logInToApp(world, visitorOf(there(), user), connection)
    expect(second.claims.sub).toBe(first.claims.sub)
    expect(second.claims.roles).toEqual([])
    expect(await isActive(world.system, first.accessToken)).toBe(false)
    expect(await isActive(world.system, second.accessToken)).toBe(true)
  })

  test('the login after a rotation of the keys works', { timeout: patience }, async () => {
    const { world, provider, connection } = there()
    const user = await provider.addUser('ben')
    const { claims } = await logInToApp(world, visitorOf(there(), user), connection)
    await provider.rotateKeys()
    const later = await logInToApp(world, visitorOf(there(), user), connection)
    expect(later.claims.sub).toBe(claims.sub)
  })

  test('prompt=login has the provider ask for the password again', async () => {
    const { world, provider, connection } = there()
    const visitor = visitorOf(there(), await provider.addUser('cleo'))
    const first = await logInToApp(world, visitor, connection)
    const begun = Date.now()
    const second = await logInToApp(world, visitor, connection, { prompt: 'login' })
    expect([visitor.wasAsked(), second.claims.sub]).toEqual([true, first.claims.sub])
    expect(Number(second.claims.auth_time)).toBeGreaterThanOrEqual(Math.floor(begun / 1000))
  })

  test('a wrong secret is said in the log, and on the page of the test', async () => {
    const { world, provider, connection } = there()
    const settings = { ...settingsFor(provider), name: 'Wrong', client_secret: 'not it' }
    const wrong = await world.admin<Connection>('POST', 'connections', settings)
    await provider.register([connection, wrong])
    const user = await provider.addUser('dora')
    const pageAt = async (query: string, jar: CookieJar) => {
      const visitor = { ...visitorOf(there(), user), jar }
      const answer = await logInThrough(world, visitor, `/auth/login/${wrong.connection_id}${query}`)
      return answer.text()
    }
    const detail = /the provider refused: \w+ \(check the client id, and the secret or the key\)/
    expect(await pageAt('?test=yes&return_to=%2Fadmin', world.root)).toMatch(detail)
    const page = await pageAt('', new Map())
    expect(page).toContain('tell an administrator')
    expect(page).not.toMatch(detail)
    const lines = world.logged(wrong.connection_id)
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toMatch(detail)
    await world.admin('DELETE', `connections/${wrong.connection_id}`)
  })
}
