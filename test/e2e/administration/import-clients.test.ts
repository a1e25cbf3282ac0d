import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { sharedAdmin, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

describe('gatehouse clients import', { timeout: 60_000 }, () => {
  let system: TestSystem
  let directory: string
  beforeAll(async () => {
    system = await sharedTestSystem()
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-import-'))
  })

  const { gatehouse } = gatehouseCommand(() => ({
    GATEHOUSE_URL: system.baseUrl,
    GATEHOUSE_PASSWORD: sharedAdmin.password,
  }))

  /** Imports a text, and reads the summary and the report. */
  async function load(input: string, ...options: string[]) {
    const report = join(directory, `${randomUUID()}.ndjson`)
    const words = ['clients', 'import', '-', '--report', report, '--json', ...options]
    const { code, out, err } = await gatehouse(words, {}, input)
    const lines = (await readFile(report, 'utf8')).trim().split('\n')
    const entries: Record<string, string>[] = lines.map((line) => JSON.parse(line))
    return { code, counts: JSON.parse(out), entries, err }
  }

  async function tokenOf(clientId: string, secret: string) {
    const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)
    const answer = await fetch(`${system.baseUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials.toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    return answer.status
  }

  const nameOf = () => `shop-${randomUUID()}`

  test('a client of Keycloak gets tokens with its id and secret as before', async () => {
    const [clientId, secret] = [nameOf(), randomUUID()]
    const client = {
      ...{ clientId, secret, enabled: true, protocol: 'openid-connect', publicClient: false },
      ...{
        clientAuthenticatorType: 'client-secret',
        standardFlowEnabled: false,
        serviceAccountsEnabled: true,
      },
      ...{ defaultClientScopes: ['roles'], redirectUris: ['/*'] },
    }
    const realm = {
      id: 'x',
      realm: 'staff',
      users: [],
      clients: [{ ...client, clientId: 'account' }, client],
    }
    const first = await load(JSON.stringify(realm, undefined, 2))
    expect(first).toMatchObject({ code: 0, counts: { created: 1, skipped: 1, invalid: 0 } })
    expect(first.entries.find(({ client_id: id }) => id === clientId)).toEqual({
      ...{ line: 2, client_id: clientId, outcome: 'created' },
      reason: expect.stringContaining('Left out scopes: openid, roles.'),
    })
    expect(JSON.stringify(first.entries)).not.toContain(secret)
    expect(await tokenOf(clientId, secret)).toBe(200)
    expect(await tokenOf(clientId, randomUUID())).toBe(401)

    expect(await load(JSON.stringify(realm))).toMatchObject({ code: 0, counts: { created: 0, exists: 1 } })
    expect(await tokenOf(clientId, secret)).toBe(200)
  })

  test('clients of Hydra get new secrets, which are in the report', async () => {
    const clients = Array.from({ length: 120 }, () => ({
      ...{ client_id: nameOf(), grant_types: ['client_credentials'], scope: 'read', subject_type: 'public' },
      ...{ token_endpoint_auth_method: 'client_secret_basic', response_types: ['code'], redirect_uris: null },
    }))
    const { code, counts, entries } = await load(JSON.stringify({ items: clients }))
    expect([code, counts.created]).toEqual([0, 120])
    const { client_id: clientId = '', client_secret: secret = '' } = entries[110] ?? {}
    expect(await tokenOf(clientId, secret)).toBe(200)
    const { out } = await gatehouse(['clients', 'show', clientId])
    expect(out).toMatch(/^scope +read$/m)
  })

  test('a bad client fails alone', async () => {
    const [good, bad] = [nameOf(), nameOf()]
    const ours = [
      { client_id: good, grant_types: ['client_credentials'], client_secret: 'x'.repeat(40) },
      { client_id: bad, grant_type: ['client_credentials'] },
      { client_id: bad },
    ]
    const { code, counts, entries, err } = await load(ours.map((client) => JSON.stringify(client)).join('\n'))
    expect([code, err]).toEqual([1, '2 could not be imported.\n'])
    expect(counts).toMatchObject({ created: 1, invalid: 2 })
    expect(entries.slice(1).map(({ reason }) => reason)).toEqual([
      ...['It has an unknown field.', 'redirect_uris is required for the grant authorization_code.'],
    ])
    expect(await tokenOf(good, 'x'.repeat(40))).toBe(200)
  })

  test('without a report only a dry run is possible', async () => {
    const clientId = nameOf()
    const path = join(directory, `${randomUUID()}.ndjson`)
    await writeFile(path, JSON.stringify({ client_id: clientId, grant_types: ['client_credentials'] }))
    const refused = await gatehouse(['clients', 'import', path])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('Name a file with --report')])
    const tried = await gatehouse(['clients', 'import', path, '--dry-run'])
    expect([tried.code, tried.out]).toEqual([0, expect.stringMatching(/^Nothing is stored; .*1 created/)])
    expect((await gatehouse(['clients', 'show', clientId])).code).not.toBe(0)
  })
})
