import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from '@gatehouse/test/programs/programs'
import { expect, test } from 'vitest'
import type { Workshop } from './workshop.ts'

/** Runs the code of resource servers. */
export function resourceSnippets(there: () => Workshop): void {
  test.each([['resource'], ['mcp']] as const)(
    'recognizes tokens for a server of the kind %s',
    async (kind) => {
      const { provider, create, save } = there()
      const identifier = `https://${kind}.example.com/v1`
      const { code, description } = await create(kind, { identifier, scopeWords: 'Do it' })
      const { client } = await create('machine', { scope: `read ${description.scope}` })
      const tokenFor = async (parameters: Record<string, string>) => {
        const { client_id, client_secret = '' } = client
        const form = { grant_type: 'client_credentials', client_id, client_secret, ...parameters }
        const answer = await provider.system.form('/oauth/token', form)
        return ((await answer.json()) as { access_token: string }).access_token
      }
      const ours = await tokenFor({ resource: identifier, scope: description.scope })
      const another = await tokenFor({ scope: 'read' })

      const path = await save(`${kind}.mjs`, code['Node.js'] ?? '')
      const { callerOf } = (await import(path)) as {
        callerOf(authorization?: string): Promise<{ subject: string; scope: string[] } | undefined>
      }
      expect(await callerOf(`Bearer ${ours}`)).toEqual({
        subject: client.client_id,
        scope: [description.scope],
      })
      for (const stranger of [`Bearer ${another}`, 'Bearer nonsense', undefined])
        expect(await callerOf(stranger)).toBeUndefined()

      const curl = async (token: string) => {
        const env = { ...process.env, ACCESS_TOKEN: token }
        const { stdout } = await run('bash', ['-c', code.curl ?? ''], { env })
        expect(stdout).toMatch(/\}\n$/)
        return JSON.parse(stdout)
      }
      expect(await curl(ours)).toMatchObject({ active: true, aud: identifier })
      expect(await curl(another)).toEqual({ active: false })
    },
  )

  test('is the metadata of an MCP server', async () => {
    const { create, save, installation } = there()
    const identifier = 'https://tools.example.com/mcp'
    const { code, description } = await create('mcp', { identifier, scopeWords: 'Use the tools' })
    expect(code.Metadata).toContain('https://tools.example.com/.well-known/oauth-protected-resource/mcp\n')
    const script = await save('metadata/run.sh', code.Metadata ?? '')
    await run('bash', [script], { cwd: dirname(script) })
    expect(
      JSON.parse(await readFile(join(dirname(script), 'oauth-protected-resource.json'), 'utf8')),
    ).toEqual({
      resource: identifier,
      authorization_servers: [installation.server.issuer],
      scopes_supported: [description.scope],
      bearer_methods_supported: ['header'],
    })
  })
}
