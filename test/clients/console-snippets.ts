import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { authorize } from '@gatehouse/test/browser-login'
import { introspectionOf } from '@gatehouse/test/oauth'
import { goPath, run } from '@gatehouse/test/programs'
import { freePorts } from '@gatehouse/test/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KindName } from '../../services/console/src/start/kinds.ts'
import { type SnippetValues, snippets } from '../../services/console/src/start/snippets.ts'
import type { World } from './world.ts'

/** In milliseconds. Go compiles the program first. */
const compiling = 180_000

/**
 * Runs the code that the guide of the console gives people to copy.
 * @param python a Python with Authlib
 * @param go the compiler
 */
export function consoleSnippets(there: () => World, { python = '', go = '' }): void {
  let directory: string
  beforeAll(async () => {
    // Below this folder, so that Node.js finds the libraries.
    directory = await mkdtemp(join(import.meta.dirname, '.snippets-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  async function codeFor(kind: KindName, name: string, more: Partial<SnippetValues> = {}) {
    const { system } = there()
    const { baseUrl: issuer } = system
    const redirectUris = more.redirectUri ? { redirect_uris: [more.redirectUri] } : {}
    const grant = more.redirectUri ? 'authorization_code' : 'client_credentials'
    const client = await system.register({ grant_types: [grant], scope: 'read write', ...redirectUris })
    const snippet = snippets[kind].find((one) => one.name === name)
    if (snippet === undefined) throw new Error(`there is no code for ${name}`)
    return snippet.code({
      issuer,
      authorizationEndpoint: `${issuer}/oauth/authorize`,
      tokenEndpoint: `${issuer}/oauth/token`,
      introspectionEndpoint: `${issuer}/oauth/introspect`,
      clientId: client.client_id,
      clientSecret: client.client_secret,
      scope: 'read write',
      redirectUri: '',
      identifier: '',
      ...more,
    })
  }

  const save = async (name: string, code: string) => {
    const path = join(directory, name)
    await writeFile(path, code)
    return path
  }

  async function expectToken(printed: string) {
    const token = printed.trim()
    expect(JSON.parse(await introspectionOf(there().system, token))).toMatchObject({
      active: true,
      scope: 'read write',
    })
  }

  test('a service gets a token with curl', async () => {
    const { stdout } = await run('bash', ['-c', await codeFor('machine', 'curl')])
    await expectToken(JSON.parse(stdout).access_token)
  })

  test('a service gets a token with Node.js', async () => {
    const path = await save('service.mjs', await codeFor('machine', 'Node.js'))
    const { stdout, stderr } = await run(process.execPath, [path])
    expect(stderr).toBe('')
    await expectToken(stdout)
  })

  test.skipIf(!python)('a service gets a token with Python', async () => {
    const path = await save('service.py', await codeFor('machine', 'Python'))
    const { stdout, stderr } = await run(python, [path])
    expect([stderr, stdout.trim()]).toEqual(['', expect.stringMatching(/./)])
    await expectToken(stdout)
  })

  test.skipIf(!go)(
    'a service gets a token with Go',
    async () => {
      const path = await save('service.go', await codeFor('machine', 'Go'))
      const env = { ...process.env, GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '', CGO_ENABLED: '0' }
      const { stdout, stderr } = await run(go, ['run', path], { env })
      expect([stderr, stdout.trim()]).toEqual(['', expect.stringMatching(/./)])
      await expectToken(stdout)
    },
    compiling,
  )

  test('a web app logs users in with Node.js', async () => {
    const { system, jar } = there()
    const [port] = await freePorts(1)
    const redirectUri = `http://127.0.0.1:${port}/callback`
    const path = await save('web.mjs', await codeFor('web', 'Node.js', { redirectUri }))
    const app = spawn(process.execPath, [path])
    const complaint = text(app.stderr)
    try {
      const login = await answerOf(new URL('/', redirectUri))
      const back = await authorize(system, jar, new URL(login.headers.get('location') ?? ''))
      const answer = await fetch(back)
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Logged in.')])
    } finally {
      app.kill()
    }
    expect(await complaint).toBe('')
  })

  test('a resource server recognizes a token with Node.js', async () => {
    const { system } = there()
    const code = await codeFor('resource', 'Node.js', { identifier: system.baseUrl })
    const path = await save('resource.mjs', code)
    const { callerOf } = (await import(path)) as {
      callerOf(authorization?: string): Promise<{ scope: string[] } | undefined>
    }
    const { stdout } = await run('bash', ['-c', await codeFor('machine', 'curl')])
    const authorization = `Bearer ${JSON.parse(stdout).access_token}`
    expect((await callerOf(authorization))?.scope).toEqual(['read', 'write'])
    expect(await callerOf('Bearer nonsense')).toBeUndefined()
    expect(await callerOf()).toBeUndefined()
  })
}

/** Asks an app that may still be starting. */
async function answerOf(url: URL): Promise<Response> {
  for (let left = 100; ; left--) {
    try {
      return await fetch(url, { redirect: 'manual' })
    } catch (error) {
      if (left === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
