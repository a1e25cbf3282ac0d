import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { authorize, browse, type CookieJar } from '@gatehouse/test/browser-login'
import { buildInCache } from '@gatehouse/test/cached-build'
import { basic, issueToken } from '@gatehouse/test/oauth'
import { programCache } from '@gatehouse/test/program-cache'
import { program } from '@gatehouse/test/programs'
import { freePorts, prepareServer } from '@gatehouse/test/server-process'
import type { RegisteredClient } from '@gatehouse/test/system'
import { expect, test } from 'vitest'
import { createPerson, type Provider } from '../e2e/openid-world.ts'

/** What runs the app: Java and its arguments. */
export type SpringApp = { java: string; argv: string[] }

const sources = join(import.meta.dirname, 'spring')

/**
 * Builds the app of Spring Boot, once for each version of its sources.
 * @returns undefined, with a line that says so, when its tests are to be skipped
 */
export async function buildSpringApp(): Promise<SpringApp | undefined> {
  const java = await program('java')
  if (java === undefined) return undefined
  const [pom, app] = [join(sources, 'pom.xml'), join(sources, 'App.java')]
  const digest = hash('sha256', Buffer.concat([readFileSync(pom), readFileSync(app)])).slice(0, 12)
  const directory = join(programCache, 'spring', digest)
  const built = await buildInCache('the app of Spring Boot', directory, async (draft) => {
    const [maven, compiler] = [await program('mvn'), await program('javac')]
    if (maven === undefined || compiler === undefined) return undefined
    const [jars, classes] = [join(draft, 'jars'), join(draft, 'classes')]
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`]
    return [
      [maven, ['-B', '-q', '-f', pom, ...copy]],
      [compiler, ['--release', '17', '-cp', join(jars, '*'), '-d', classes, app]],
    ]
  })
  const classPath = [join(directory, 'classes'), join(directory, 'jars', '*')].join(':')
  // Without the second compiler, which never pays for itself here, it starts sooner.
  const argv = ['-XX:TieredStopAtLevel=1', '-cp', classPath, 'gatehouse.App']
  return built ? { java, argv } : undefined
}

/** In milliseconds: on a busy machine the app takes long to start. */
const starting = 60_000

/** The app's properties: a client that logs users in, and that introspects their tokens too. */
function settingsOf(issuer: string, port: number, { client_id, client_secret }: RegisteredClient) {
  const client = { 'client-id': client_id, 'client-secret': client_secret }
  return {
    server: { port, address: '127.0.0.1' },
    'spring.security.oauth2': {
      client: {
        registration: { gatehouse: { ...client, scope: 'openid,profile,email' } },
        provider: { gatehouse: { 'issuer-uri': issuer } },
      },
      resourceserver: {
        jwt: { 'issuer-uri': issuer },
        opaquetoken: { ...client, 'introspection-uri': `${issuer}/oauth/introspect` },
      },
    },
  }
}

/** Tests Spring Boot: a login, an API that verifies access tokens itself, and one that introspects them. */
export function springBoot(there: () => Provider, { java, argv }: SpringApp): void {
  test(
    'logs a user in, and takes access tokens with and without introspection',
    async () => {
      const { system, createClient } = there()
      const [port = 0] = await freePorts(1)
      const app = { baseUrl: `http://localhost:${port}` }
      const client = await createClient({
        redirect_uris: [`${app.baseUrl}/login/oauth2/code/gatehouse`],
      })
      const machine = await createClient({
        grant_types: ['client_credentials'],
        redirect_uris: [],
        scope: 'read write',
      })
      const settings = settingsOf(system.baseUrl, port, client)
      await using ended = new AsyncDisposableStack()
      const server = await prepareServer(async () => ({
        path: java,
        argv,
        environment: { SPRING_APPLICATION_JSON: JSON.stringify(settings) },
        probe: () => fetch(app.baseUrl, { redirect: 'manual' }),
      }))
      ended.defer(() => server.close())
      await server.start()

      const { name, email, jar } = await createPerson(there())
      const cookies: CookieJar = new Map()
      const leaving = await browse(app, cookies, '/oauth2/authorization/gatehouse')
      const returned = await authorize(system, jar, new URL(leaving.headers.get('location') ?? ''))
      await browse(app, cookies, returned)
      const shown = await browse(app, cookies, '/me', { headers: { accept: 'application/json' } })
      expect(await shown.json()).toEqual({ name, email })

      const answerTo = async (path: string, token: string) =>
        (await fetch(new URL(path, app.baseUrl), { headers: { authorization: `Bearer ${token}` } })).status
      const apis = ['/verified/photos', '/introspected/photos']
      const answersTo = (token: string) => Promise.all(apis.map((path) => answerTo(path, token)))
      const token = await issueToken(system, machine, 'read')
      expect(await answersTo(token)).toEqual([200, 200])
      expect(await answersTo(await issueToken(system, machine, 'write'))).toEqual([403, 403])
      const own = basic(machine.client_id, machine.client_secret)
      expect((await system.form('/oauth/revoke', { token }, own)).status).toBe(200)
      // Who verifies access tokens does not learn of a revocation.
      expect(await answersTo(token)).toEqual([200, 401])
    },
    starting,
  )
}
