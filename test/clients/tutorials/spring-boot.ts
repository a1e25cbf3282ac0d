import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { browse, type CookieJar } from '@gatehouse/test/browser/browser-login'
import { basic, issueToken } from '@gatehouse/test/oauth'
import { buildInCache } from '@gatehouse/test/programs/cached-build'
import { programCache } from '@gatehouse/test/programs/program-cache'
import { program } from '@gatehouse/test/programs/programs'
import { expect, test } from 'vitest'
import type { Provider } from '../../e2e/openid/openid-world.ts'
import { makeKeyFile } from '../keys/key-file.ts'
import { beginLogin, logInAndOut, startApp } from './tutorial-app.ts'

/** The command that runs the app: Java and its arguments. */
export type SpringApp = readonly [java: string, ...argv: string[]]

const sources = join(import.meta.dirname, 'spring')
const keySource = join(import.meta.dirname, '../keys/spring/ClientKey.java')

/**
 * Builds the app of Spring Boot, once for each version of its sources.
 * @param signs whether it proves with a key who it is, as docs/apps/client-authentication.md shows
 * @returns undefined, with a line that says so, when its tests are to be skipped
 */
export async function buildSpringApp(signs = false): Promise<SpringApp | undefined> {
  const java = await program('java')
  if (java === undefined) return undefined
  const files = readdirSync(sources)
    .sort()
    .map((name) => join(sources, name))
    .concat(keySource)
  const digest = hash('sha256', Buffer.concat(files.map((file) => readFileSync(file)))).slice(0, 12)
  const directory = join(programCache, 'spring', digest)
  const built = await buildInCache('the app of Spring Boot', directory, async (draft) => {
    const [maven, compiler] = [await program('mvn'), await program('javac')]
    if (maven === undefined || compiler === undefined) return undefined
    const [jars, classes] = [join(draft, 'jars'), join(draft, 'classes')]
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`]
    const java = files.filter((file) => file.endsWith('.java') && file !== keySource)
    const options = ['--release', '17', '-parameters', '-cp']
    return [
      [maven, ['-B', '-q', '-f', join(sources, 'pom.xml'), ...copy]],
      [compiler, [...options, join(jars, '*'), '-d', classes, ...java]],
      [compiler, [...options, join(jars, '*'), '-d', join(draft, 'key-classes'), keySource]],
      ['cp', [join(sources, 'application.yaml'), classes]],
    ]
  })
  const parts = [...(signs ? ['key-classes'] : []), 'classes', join('jars', '*')]
  const classPath = parts.map((part) => join(directory, part)).join(':')
  // Without the second compiler, which never pays for itself here, it starts sooner.
  return built ? [java, '-XX:TieredStopAtLevel=1', '-cp', classPath, 'com.example.App'] : undefined
}

/** In milliseconds: on a busy machine the app takes long to start. */
const starting = 60_000

/** Where the app's client is answered. */
const callback = '/login/oauth2/code/gatehouse'

/** Tests the app of docs/apps/tutorial-spring.md, as it stands there, and an API beside it that introspects access tokens. */
export function springBoot(there: () => Provider, program: SpringApp): void {
  test(
    'logs a user in and out, and takes access tokens with and without introspection',
    async () => {
      const { system, createClient } = there()
      const machine = await createClient({
        grant_types: ['client_credentials'],
        redirect_uris: [],
        scope: 'read write',
      })
      const { client_id, client_secret } = machine
      const introspection = {
        'spring.security.oauth2.resourceserver.opaquetoken': {
          'client-id': client_id,
          'client-secret': client_secret,
          'introspection-uri': `${system.baseUrl}/oauth/introspect`,
        },
      }
      const settings = { SPRING_APPLICATION_JSON: JSON.stringify(introspection) }
      await using app = await startApp(there(), program, { callback, environment: settings })
      await logInAndOut(there(), app, 'JSESSIONID')

      const jar: CookieJar = new Map()
      await beginLogin(app, jar)
      const refused = await browse(app, jar, `${callback}?error=access_denied&state=of-somebody-else`)
      expect([refused.status, refused.headers.get('location')]).toEqual([302, `${app.baseUrl}/login?error`])

      const answerTo = async (path: string, token: string) =>
        (await fetch(new URL(path, app.baseUrl), { headers: { authorization: `Bearer ${token}` } })).status
      const apis = ['/api/photos', '/introspected/photos']
      const answersTo = (token: string) => Promise.all(apis.map((path) => answerTo(path, token)))
      const token = await issueToken(system, machine, 'read')
      expect(await answersTo(token)).toEqual([200, 200])
      expect(await answersTo(await issueToken(system, machine, 'write'))).toEqual([403, 403])
      const own = basic(client_id, client_secret)
      expect((await system.form('/oauth/revoke', { token }, own)).status).toBe(200)
      // An app that verifies access tokens itself does not learn of a revocation.
      expect(await answersTo(token)).toEqual([200, 401])
    },
    starting,
  )
}

/** Tests the same app with a key in place of the secret, as docs/apps/client-authentication.md shows it. */
export function springBootWithKey(there: () => Provider, program: SpringApp): void {
  test(
    'logs a user in and out with assertions',
    async () => {
      await using directory = await mkdtempDisposable(join(tmpdir(), 'gatehouse-spring-'))
      const { file, jwk } = await makeKeyFile(directory.path)
      const settings = {
        'spring.security.oauth2.client.registration.gatehouse.client-authentication-method':
          'private_key_jwt',
        // Of the API beside it, which nobody calls here.
        'spring.security.oauth2.resourceserver.opaquetoken': {
          'client-id': 'none',
          'client-secret': 'none',
          'introspection-uri': `${there().system.baseUrl}/oauth/introspect`,
        },
      }
      await using app = await startApp(there(), program, {
        callback,
        metadata: { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } },
        environment: {
          SPRING_APPLICATION_JSON: JSON.stringify(settings),
          CLIENT_SECRET: '',
          KEY_FILE: file,
        },
      })
      await logInAndOut(there(), app, 'JSESSIONID')
    },
    starting,
  )
}
