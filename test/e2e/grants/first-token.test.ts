import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { program } from '@gatehouse/test/programs/programs'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

const curl = await program('curl')
const shells = { bash: await program('bash'), zsh: await program('zsh') }

let system: TestSystem
beforeAll(async () => {
  system = await sharedTestSystem()
})

test('registers a machine client, and issues, introspects and revokes its token', async () => {
  const client = await system.register()
  const credentials = { client_id: client.client_id, client_secret: client.client_secret }

  const issued = await system.form('/oauth/token', { grant_type: 'client_credentials', ...credentials })
  expect(issued.status).toBe(200)
  expect(issued.headers.get('cache-control')).toBe('no-store')
  const token = (await issued.json()) as { access_token: string }
  expect(token).toEqual({
    access_token: expect.any(String),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read write',
  })

  const introspect = async () => {
    const response = await system.form('/oauth/introspect', { token: token.access_token })
    return response.text()
  }
  expect(JSON.parse(await introspect())).toMatchObject({
    active: true,
    client_id: client.client_id,
    username: client.client_id,
    sub: client.client_id,
    iss: system.baseUrl,
  })

  const revoked = await system.form('/oauth/revoke', { token: token.access_token, ...credentials })
  expect([revoked.status, await revoked.text()]).toEqual([200, '{}'])
  expect(await introspect()).toBe('{"active":false}')
})

describe('runs the commands of README pasted', () => {
  /** The commands under a heading of README, adapted to this system. */
  async function commandsUnder(heading: string): Promise<string> {
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
    const section = readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
    const blocks = Array.from(section.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
    return blocks.join('').replaceAll('http://localhost:8080', system.baseUrl)
  }

  for (const [name, shell] of Object.entries(shells)) {
    test.skipIf(!shell || !curl)(`into ${name}`, async () => {
      // Interactive, because then zsh has no comments and runs each line before it reads the next. In a new session, or it
      // would take over the tester's terminal.
      const child = spawn(shell ?? name, ['-i'], {
        detached: true,
        env: { ...process.env, HOME: '/nonexistent' },
      })
      child.stdin.end(await commandsUnder('A first token'))
      const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)])
      expect(complaints).not.toMatch(/not found|curl:|error/)
      const [client = '', token = '', ...rest] = output.split('\n')
      expect(JSON.parse(client)).toMatchObject({ client_name: 'Acme nightly jobs' })
      expect(JSON.parse(token)).toMatchObject({ token_type: 'Bearer', scope: 'read' })
      // Each answer is on a line of its own.
      expect(rest).toEqual([expect.stringMatching(/^\{"active":true,.*\}$/), '{}', '{"active":false}', ''])
    })
  }
})
