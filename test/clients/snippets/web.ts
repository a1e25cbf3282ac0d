import { authorize, browse, type CookieJar, type Site } from '@gatehouse/test/browser/browser-login'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { expect, test } from 'vitest'
import { createPerson } from '../../e2e/openid/openid-world.ts'
import type { SpringApp } from '../tutorials/spring-boot.ts'
import { compileSpring } from './spring.ts'
import type { CreatedApp, Workshop } from './workshop.ts'

/** In milliseconds. A compiler, or Java, starts first. */
const patient = 180_000

type Programs = { flask: string | undefined; javac: string | undefined; spring: SpringApp | undefined }

/** How the code of an app greets the person who logged in: by their name where it gets an ID token, else by their user name. */
export function greetingOf(
  { scope }: { scope: string },
  { name, email }: { name: string; email: string },
): string {
  return `Hello ${scope.split(' ').includes('openid') ? name : email.replace(/@.*/, '')}!`
}

/** Runs the code of a web app, and logs a user in to it in a browser. */
export function webSnippets(there: () => Workshop, { flask, javac, spring }: Programs): void {
  /** Starts an app, logs a user in, and comes to it with answers that it must refuse. */
  async function expectLogin(
    argvOf: (app: CreatedApp) => Promise<string[]>,
    { scope, refused = 400 }: { scope?: string; refused?: number } = {},
  ) {
    const { provider, create } = there()
    const [port] = await freePorts(1)
    const site: Site = { baseUrl: `http://127.0.0.1:${port}` }
    const app = await create('web', { redirectUri: `${site.baseUrl}/callback`, ...(scope && { scope }) })
    const [path = '', ...argv] = await argvOf(app)
    const server = await prepareServer(async () => ({
      path,
      argv,
      probe: () => fetch(site.baseUrl, { redirect: 'manual' }),
    }))
    try {
      await server.start()
      const person = await createPerson(provider)
      const jar: CookieJar = new Map()
      const wrong = async (query: string, jar: CookieJar) =>
        (await browse(site, jar, `/callback?${query}`)).status
      expect(await wrong('code=made-up&state=made-up', new Map())).toBe(refused)
      const address = await loginOf(site, jar)
      expect(address.searchParams.get('scope')).toBe(app.description.scope)
      expect(await wrong('error=access_denied&state=of-somebody-else', jar)).toBe(refused)

      const back = await authorize(provider.system, person.jar, await loginOf(site, jar))
      let answer = await browse(site, jar, back)
      // Spring goes to its first page.
      if (answer.status === 302) answer = await browse(site, jar, '/')
      const greeting = greetingOf(app.description, person)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(greeting)])
      expect(await wrong('code=again&state=again', jar)).toBe(refused)
      expect((await browse(site, new Map(), '/favicon.ico')).status).not.toBe(200)
      await loginOf(site, new Map())
    } finally {
      await server.close()
    }
  }

  test('logs users in to a web app with Node.js', () =>
    expectLogin(async ({ code }) => [
      process.execPath,
      await there().save('web/app.mjs', code['Node.js'] ?? ''),
    ]))

  test('logs users in to a web app that asks for no identity with Node.js', () =>
    expectLogin(
      async ({ code }) => [process.execPath, await there().save('plain/app.mjs', code['Node.js'] ?? '')],
      { scope: 'read' },
    ))

  test.skipIf(!flask)('logs users in to a web app with Python', () =>
    expectLogin(async ({ code }) => [flask ?? '', await there().save('web.py', code.Python ?? '')]),
  )

  test.skipIf(!flask)('logs users in to a web app that asks for no identity with Python', () =>
    expectLogin(async ({ code }) => [flask ?? '', await there().save('plain.py', code.Python ?? '')], {
      scope: 'read',
    }),
  )

  test.skipIf(!javac || !spring)(
    'logs users in to a web app with Spring Boot, where the server is an OpenID provider',
    async () => {
      if (there().installation.server.userinfo_endpoint === undefined) {
        const names = Object.keys((await there().create('web')).code)
        expect(names).toEqual(['Node.js', 'Python', '.env'])
        return
      }
      await expectLogin(
        ({ code }) =>
          compileSpring(there(), { javac: javac ?? '', spring: spring as SpringApp, code }, 'web'),
        // To its page that says so.
        { refused: 302 },
      )
    },
    patient,
  )
}

/** Opens the first page of an app until it leads to the server. @returns the authorization request */
async function loginOf(site: Site, jar: CookieJar): Promise<URL> {
  let at = new URL('/', site.baseUrl)
  for (let steps = 0; steps < 3 && at.origin === site.baseUrl; steps += 1) {
    const { headers } = await browse(site, jar, at)
    at = new URL(headers.get('location') ?? '', at)
  }
  expect(at.searchParams.get('code_challenge_method')).toBe('S256')
  return at
}
