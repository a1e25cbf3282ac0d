import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { introspectionOf } from '@gatehouse/test/oauth'
import { goPath, run } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { converseWith } from './program-dialogue.ts'
import {
  accentedSecret,
  ambiguousSecret,
  callback,
  registerWithSecret,
  specialState,
  type World,
  webApplication,
} from './world.ts'

type Token = { access_token: string; refresh_token: string; token_type: string; expiry: string }
type Result = { state: string; token: Token; scope: string; refreshed: Token; credentials: string[] }

/** oauth2.AuthStyle. */
const style = { tryBoth: 0, inParameters: 1, inHeader: 2 }

/** In milliseconds. The first time Go also compiles its own library. */
const compiling = 180_000

/**
 * Tests golang.org/x/oauth2 with a system that has refresh tokens.
 * @param go the compiler
 */
export function goOauth2(there: () => World, go: string): void {
  let directory: string
  let program: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-go-'))
    program = join(directory, 'oauth2')
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: goPath, GOFLAGS: '', CGO_ENABLED: '0' }
    const { ok, stderr } = await run(go, ['build', '-o', program, 'oauth2.go'], {
      cwd: import.meta.dirname,
      env,
    })
    if (!ok) throw new Error(stderr)
  }, compiling)
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test('completes the whole flow, and authenticates with special characters in the secret', async () => {
    const { system } = there()
    const client = await system.register(webApplication)
    const of = (secret: string) => registerWithSecret(system, secret)
    const wrong = { ...client, client_secret: 'another' }
    const cases = [
      { style: style.inHeader, client: await of(accentedSecret), expected: 'read' },
      { style: style.inParameters, client: await of(accentedSecret), expected: 'read' },
      { style: style.inHeader, client: await of(ambiguousSecret), expected: 'read' },
      { style: style.inHeader, client: wrong, expected: '401 Unauthorized' },
      { style: style.tryBoth, client: wrong, expected: '401 Unauthorized' },
    ]
    const settings = {
      base_url: system.baseUrl,
      redirect_uri: callback,
      state: specialState,
      client,
      cases,
    }
    const { state, token, scope, refreshed, credentials } = await converseWith<Result>(
      there(),
      [program],
      settings,
    )
    expect([state, token.token_type, scope]).toEqual([specialState, 'Bearer', 'read write'])
    expect(Date.parse(token.expiry)).toBeGreaterThan(Date.now())
    expect(refreshed.refresh_token).not.toBe(token.refresh_token)
    for (const { access_token } of [token, refreshed]) {
      expect(JSON.parse(await introspectionOf(system, access_token))).toMatchObject({
        active: true,
        username: 'ada',
      })
    }
    expect(credentials).toEqual(cases.map(({ expected }) => expected))
  })
}
