import { join } from 'node:path'
import { program, run } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AdminWorld, startAdminWorld } from '../administration/admin-world.ts'

// Schemathesis generates valid and invalid requests from the OpenAPI document, and checks every answer against it.

const schemathesis = await program('schemathesis')

const options = [
  ...['--checks', 'all', '--max-examples', '5', '--continue-on-failure', '--no-color', '--warnings', 'off'],
  // The same requests each time, so that a failure can be reproduced.
  ...['--seed', '20261122', '--generation-database', 'none'],
]

describe.skipIf(!schemathesis)('the system conforms to its OpenAPI document', () => {
  let world: AdminWorld
  beforeAll(async () => {
    world = await startAdminWorld({ OAUTH2_EVENTS_ENABLED: 'true' })
  })
  afterAll(() => world?.stop())

  async function findings(which: string[], env: NodeJS.ProcessEnv): Promise<string> {
    const configuration = ['--config-file', join(import.meta.dirname, 'schemathesis.toml')]
    const { baseUrl } = world.system
    const { stdout, stderr } = await run(
      schemathesis ?? '',
      [...configuration, 'run', `${baseUrl}/openapi.json`, ...which, ...options],
      { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env }, cwd: world.system.dataDirectory },
    )
    const begin = stdout.search(/^=+ (FAILURES|ERRORS) =+$/m)
    const report = begin === -1 ? stdout.slice(-2_000) : stdout.slice(begin)
    return /^=+ No issues found in .* =+$/m.test(stdout) ? '' : `${report}\n${stderr}`
  }

  test('for anybody, outside the administration', { timeout: 240_000 }, async () => {
    const found = await findings(['--exclude-path-regex', '^/admin/'], {
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'schemathesis_metadata.py'),
    })
    expect(found).toBe('')
  })

  // It also leaves the token out, or sends another, and expects to be refused then.
  test('for an administrator, and what asks for a token', { timeout: 240_000 }, async () => {
    const { client_id, client_secret } = world.operator
    const found = await findings(['--include-path-regex', '^/(admin|oauth/introspect)'], {
      CLIENT_ID: client_id,
      CLIENT_SECRET: client_secret,
      TOKEN_ENDPOINT: `${world.system.baseUrl}/oauth/token`,
      SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'schemathesis_hooks.py'),
    })
    expect(found).toBe('')
  })
})
