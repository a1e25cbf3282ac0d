import { createHash, randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deleteClient } from '../../src/changes/client-change.ts'
import { type ClientImportResult, importClients } from '../../src/changes/client-import.ts'
import type { ImportedClient } from '../../src/changes/client-import-preparation.ts'
import { actor, useReplicas } from '../registry.ts'

const shared = useReplicas()

const nothing: ImportedClient = {
  ...{ firstParty: false, disabled: false, createdAt: undefined },
  registration: { redirectUris: [], grantTypes: ['client_credentials'] },
}
const secret = 'the secret that it always had'

type Changes = Partial<Omit<ImportedClient, 'registration'>> & {
  registration?: Partial<ImportedClient['registration']>
}

function client(changes: Changes): ImportedClient {
  return { ...nothing, ...changes, registration: { ...nothing.registration, ...changes.registration } }
}

const load = (clients: ImportedClient[], dryRun = false) =>
  importClients({ clients, dryRun }, actor, shared.replica().admin.imports)

async function loadOne(...[changes, dryRun]: [Changes, boolean?]) {
  const [result] = await load([client(changes)], dryRun)
  return result as ClientImportResult
}

const idOf = () => `shop-${randomUUID()}`
const stored = async (clientId = '') => (await shared.replica().store.find([clientId]))[0]
const digestOf = (text = '') => createHash('sha256').update(text).digest()

describe('an imported client', () => {
  test('keeps its id, secret and settings, and is in the audit log without the secret', async () => {
    const clientId = idOf()
    const createdAt = new Date('2020-01-02T03:04:05Z')
    const registration = {
      clientName: 'Shop',
      redirectUris: ['https://shop.example/callback'],
      grantTypes: ['authorization_code', 'refresh_token'],
      scope: 'read write',
      tokenEndpointAuthMethod: 'client_secret_post',
      metadata: { client_uri: 'https://shop.example/' },
    }
    const wanted = { clientId, clientSecret: secret, firstParty: true, createdAt, registration }
    expect(await loadOne(wanted)).toEqual({ outcome: 'created', clientId })
    const { secrets, ...found } = (await stored(clientId)) ?? {}
    expect(found).toMatchObject({
      ...{ ...registration, clientId, createdAt, firstParty: true, disabled: false },
      ...{ createdBy: 'administrator', scopeSetBy: 'administrator' },
    })
    expect(secrets?.map(({ digest }) => Buffer.from(digest))).toEqual([digestOf(secret)])
    const audit = await shared.auditOf(clientId)
    expect(audit).toMatchObject([
      { action: 'client.create', after: { client_name: 'Shop', scope: 'read write' } },
    ])
    expect(JSON.stringify(audit)).not.toContain(secret)
  })

  test('without an id or a secret gets new ones, and the secret is told once', async () => {
    const { outcome, clientId, clientSecret } = await loadOne({})
    expect([outcome, clientId]).toEqual(['created', expect.stringMatching(/^client_[\da-f-]{36}$/)])
    expect(clientSecret).toMatch(/^[\w-]{43}$/)
    const found = await stored(clientId)
    expect(found?.secrets.map(({ digest }) => Buffer.from(digest))).toEqual([digestOf(clientSecret)])
  })

  test.each([
    ['that is short', 'hunter2hunter2hunter'.slice(1), 'fewer than 20 characters'],
    ['of other characters than ASCII', 'ein Geheimnis für alle', 'other characters than ASCII'],
    ['that is huge', 'x'.repeat(513), 'too long'],
  ])('with a secret %s gets a new one, and is told so', async (_, clientSecret, words) => {
    const result = await loadOne({ clientId: idOf(), clientSecret })
    expect(result).toMatchObject({ outcome: 'created', reason: expect.stringContaining(words) })
    expect(result.clientSecret).toMatch(/^[\w-]{43}$/)
  })

  test('that is public has no secret, whatever came with it', async () => {
    const registration = {
      ...{ tokenEndpointAuthMethod: 'none', grantTypes: ['authorization_code'] },
      redirectUris: ['https://shop.example/callback'],
    }
    const result = await loadOne({ clientId: idOf(), clientSecret: secret, registration })
    expect(result).toMatchObject({ outcome: 'created', clientSecret: undefined, reason: undefined })
    expect((await stored(result.clientId))?.secrets).toEqual([])
  })

  test('that is disabled stays disabled', async () => {
    const { clientId } = await loadOne({ disabled: true })
    expect(await stored(clientId)).toMatchObject({ disabled: true })
  })

  test('loses the scopes, grants and invalid fields that this server does not have, and is told so', async () => {
    const registration = {
      grantTypes: ['client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'],
      scope: 'write  offline admin',
      metadata: { client_uri: 'not a URL', software_id: 'shop' },
    }
    const result = await loadOne({ registration })
    expect(result.reason).toMatch(
      /^Left out scopes: offline, admin\. Left out grants: urn:ietf:params:oauth:grant-type:device_code\. Left out: client_uri /,
    )
    expect(await stored(result.clientId)).toMatchObject({
      ...{ scope: 'write', grantTypes: ['client_credentials'] },
      metadata: { software_id: 'shop' },
    })
  })

  test('whose scopes are all unknown has the default scope, and is told so', async () => {
    const { clientId, reason } = await loadOne({ registration: { scope: 'admin' } })
    expect(reason).toContain('None of its scopes is left')
    expect(await stored(clientId)).toMatchObject({ scope: 'read' })
  })

  test('loses the redirect URIs that are not allowed, each by its name, and keeps the others', async () => {
    const good = 'https://shop.example/callback'
    const bad = [
      'https://shop.example/callback#top',
      'javascript:alert(1)',
      '/relative',
      'http://shop.example:x/',
    ]
    const registration = {
      ...{ grantTypes: ['authorization_code'], redirectUris: [...bad, good] },
      metadata: { post_logout_redirect_uris: [good, ...bad] },
    }
    const { outcome, clientId, reason } = await loadOne({ registration })
    expect(outcome).toBe('created')
    for (const uri of bad) expect(reason?.split(uri)).toHaveLength(3)
    expect(await stored(clientId)).toMatchObject({
      ...{ redirectUris: [good], metadata: { post_logout_redirect_uris: [good] } },
    })
  })

  test('whose name people cannot read is called by its id', async () => {
    const clientId = idOf()
    const { reason } = await loadOne({ clientId, registration: { clientName: 'Shop\u202E' } })
    expect(reason).toMatch(/^Left out: client_name /)
    expect(await stored(clientId)).toMatchObject({ clientName: clientId })
  })

  test('keeps a grant that is off, and is told so', async () => {
    const registration = { grantTypes: ['client_credentials', 'password'] }
    const { clientId, reason } = await loadOne({ registration })
    expect(reason).toBe('Kept, but off on this server: the grants password.')
    expect(await stored(clientId)).toMatchObject(registration)
  })

  test('that is public loses the grants that need a secret', async () => {
    const registration = {
      ...{ tokenEndpointAuthMethod: 'none', redirectUris: ['https://shop.example/callback'] },
      grantTypes: ['authorization_code', 'client_credentials'],
    }
    const { clientId, reason } = await loadOne({ registration })
    expect(reason).toBe('Left out grants: client_credentials.')
    expect(await stored(clientId)).toMatchObject({ grantTypes: ['authorization_code'] })
  })
})

test('an invalid client fails alone', async () => {
  const redirecting = (uri: string) => ({ grantTypes: ['authorization_code'], redirectUris: [uri] })
  const results = await load([
    client({ clientId: 'two words' }),
    client({ clientId: 'https://shop.example/client' }),
    client({ clientId: '..' }),
    client({ clientId: '.' }),
    client({ clientId: 'new' }),
    client({ createdAt: new Date(Date.now() + 60_000) }),
    client({ registration: { grantTypes: ['implicit'] } }),
    client({ registration: redirecting('http://shop.example/callback#top') }),
    client({ registration: { tokenEndpointAuthMethod: 'client_secret_jwt' } }),
    client({ clientId: 'fine' }),
  ])
  expect(results.map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual([
    expect.stringMatching(/^invalid client_id must have/),
    expect.stringMatching(/^invalid client_id must have/),
    expect.stringMatching(/^invalid client_id must not be \.\., /),
    expect.stringMatching(/^invalid client_id must not be \., /),
    expect.stringMatching(/^invalid client_id must not be new, /),
    expect.stringMatching(/^invalid created_at must be/),
    expect.stringMatching(/^invalid grant_types has only grants that this server does not have: implicit/),
    expect.stringMatching(/^invalid redirect_uris\[0\] /),
    expect.stringMatching(/^invalid token_endpoint_auth_method must be one of/),
    'created undefined',
  ])
})

test('importing again changes nothing', async () => {
  const clientId = idOf()
  const [first] = await load([client({ clientId, clientSecret: secret })])
  const changed = client({ clientId, clientSecret: `${secret}!`, registration: { scope: 'write' } })
  const before = await stored(clientId)
  expect([first?.outcome, ...(await load([changed, changed])).map(({ outcome }) => outcome)]).toEqual([
    ...['created', 'exists', 'exists'],
  ])
  expect(await stored(clientId)).toEqual(before)
})

test('two imports at once create each client once', async () => {
  const clients = Array.from({ length: 10 }, () => client({ clientId: idOf(), clientSecret: secret }))
  const outcomes = (await Promise.all([load(clients), load(clients)])).flat().map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(10)
  expect(outcomes.filter((outcome) => outcome === 'exists')).toHaveLength(10)
})

test('a client twice in one import is created once', async () => {
  const twice = client({ clientId: idOf() })
  for (const dryRun of [true, false])
    expect((await load([twice, twice], dryRun)).map(({ outcome }) => outcome)).toEqual(['created', 'exists'])
})

test('a dry run stores nothing and shows no secret', async () => {
  const clientId = idOf()
  expect(await loadOne({ clientId }, true)).toEqual({ outcome: 'created', clientId })
  expect(await stored(clientId)).toBeUndefined()
})

describe('a deleted client', () => {
  const remove = (clientId: string) => deleteClient(clientId, actor, shared.replica().changes)

  test('comes back with an id of its own, and its new tokens are not revoked', async () => {
    const clientId = idOf()
    await loadOne({ clientId })
    await remove(clientId)
    expect(await loadOne({ clientId })).toMatchObject({ outcome: 'created' })
    const revocation = shared.replica().revoked.find(({ target }) => target === clientId)
    expect(revocation?.issuedBefore).toBeInstanceOf(Date)
  })

  test('whose id was made here does not come back', async () => {
    const { clientId } = await shared.add()
    await remove(clientId)
    const result = await loadOne({ clientId })
    expect(result).toMatchObject({ outcome: 'invalid', reason: expect.stringContaining('was deleted here') })
  })
})

test('refuses more than a hundred clients', async () => {
  await expect(load(Array.from({ length: 101 }, () => nothing))).rejects.toThrow('at most 100 entries')
})
