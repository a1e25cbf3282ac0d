import { generateKeyPairSync } from 'node:crypto'
import { actorMessage } from '@gatehouse/kit/actor'
import type { ClientKey } from '@gatehouse/proto/clientregistry/v1'
import { describe, expect, test } from 'vitest'
import { adminRpcs } from '../../src/rpc/admin-rpc.ts'
import { createKeyUseStore, deleteOldKeyUses, mostKeysOfClient } from '../../src/store/key-uses.ts'
import { actor, useReplicas } from '../registry.ts'

const shared = useReplicas()
const call = {} as never
const sender = actorMessage(actor)
const rpcs = () => adminRpcs(shared.replica().admin)

type Jwk = { kty: string; kid?: string; alg?: string; [member: string]: unknown }
const makers = {
  EC: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  OKP: () => generateKeyPairSync('ed25519'),
  RSA: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
}
const pairOf = (kty: keyof typeof makers = 'EC') => {
  const { publicKey, privateKey } = makers[kty]()
  return {
    jwk: publicKey.export({ format: 'jwk' }) as Jwk,
    pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    privatePem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    privateJwk: privateKey.export({ format: 'jwk' }) as Jwk,
  }
}

const addSigner = (...keys: Jwk[]) =>
  shared.add({ tokenEndpointAuthMethod: 'private_key_jwt', metadata: { jwks: { keys } } })
const addJwk = (clientId: string, value: object, kid?: string) =>
  rpcs().addClientKey({ clientId, key: { $case: 'jwk', value }, kid, actor: sender }, call)
const addPem = (clientId: string, value: string) =>
  rpcs().addClientKey({ clientId, key: { $case: 'pem', value }, kid: undefined, actor: sender }, call)
const remove = (clientId: string, thumbprint: string) =>
  rpcs().removeClientKey({ clientId, thumbprint, actor: sender }, call)
const keysOf = async (clientId: string) => (await rpcs().listClientKeys({ clientId }, call)).keys
const nameOf = ({ thumbprint }: Pick<ClientKey, 'thumbprint'>) => thumbprint.toString('base64url')
const added = async (answer: ReturnType<typeof addJwk>) => nameOf((await answer).key as ClientKey)
const refused = (description: string | RegExp, code = 'invalid_request') =>
  expect.objectContaining({
    code,
    description: typeof description === 'string' ? description : expect.stringMatching(description),
  })

test('a client that signs has no secret', async () => {
  const { clientId, clientSecret, secrets } = await addSigner(pairOf().jwk)
  expect([clientSecret, secrets]).toEqual([undefined, []])
  const rotation = { clientId, overlapSeconds: 0, actor: sender }
  await expect(rpcs().rotateClientSecret(rotation, call)).rejects.toThrow(refused(/has no secret to rotate/))
})

test('keys are added one by one, as JWK or PEM, and each is told with what it verifies', async () => {
  const [first, second, third] = [pairOf(), pairOf('OKP'), pairOf('RSA')]
  const { clientId, revision } = await addSigner({ ...first.jwk, kid: 'one' })
  await addJwk(clientId, second.jwk, 'two')
  await addPem(clientId, third.pem)
  expect(await keysOf(clientId)).toMatchObject([
    { kid: 'one', kty: 'EC', algorithms: ['ES256'], lastUsedAt: undefined },
    { kid: 'two', kty: 'OKP', algorithms: ['EdDSA', 'Ed25519'] },
    { kid: undefined, kty: 'RSA', algorithms: ['PS256', 'RS256'] },
  ])
  const { client } = await rpcs().getClient({ clientId }, call)
  expect(client?.metadata?.jwks).toEqual({
    keys: [{ ...first.jwk, kid: 'one' }, { ...second.jwk, kid: 'two' }, third.jwk],
  })
  expect(client?.revision).toBeGreaterThan(revision)
})

test('a removed key is gone, the token service is told at once, and the audit log names it', async () => {
  const { clientId } = await addSigner(pairOf().jwk)
  const thumbprint = await added(addJwk(clientId, pairOf().jwk, 'new'))
  const told = shared.replica().revoked.length
  await remove(clientId, thumbprint)
  expect(shared.replica().revoked.slice(told)).toMatchObject([{ kind: 'client_change', target: clientId }])
  expect(await keysOf(clientId)).toHaveLength(1)
  const about = { thumbprint, kid: 'new', kty: 'EC' }
  expect((await shared.auditOf(clientId)).slice(1)).toEqual([
    { action: 'client.key.add', before: null, after: about },
    { action: 'client.key.remove', before: about, after: null },
  ])
  await expect(remove(clientId, thumbprint)).rejects.toThrow(refused(/thumbprint/, 'not_found'))
  await expect(remove('client_nobody', thumbprint)).rejects.toThrow(refused(/no such client/, 'not_found'))
  await expect(addJwk('client_nobody', pairOf().jwk)).rejects.toThrow(refused(/no such client/, 'not_found'))
})

test('the last key stays, and so does the last one for the algorithm of the client', async () => {
  const { clientId } = await addSigner(pairOf().jwk)
  const [only] = await keysOf(clientId)
  await expect(remove(clientId, nameOf(only as ClientKey))).rejects.toThrow(refused(/last key/))
  await shared.query(
    'update clients.clients set metadata = metadata || \'{"token_endpoint_auth_signing_alg":"ES256"}\' where client_id = $1',
    [clientId],
  )
  await expect(addJwk(clientId, pairOf('RSA').jwk)).rejects.toThrow(
    refused(/token_endpoint_auth_signing_alg ES256/),
  )
  await added(addJwk(clientId, pairOf().jwk))
  await remove(clientId, nameOf(only as ClientKey))
  expect(await keysOf(clientId)).toHaveLength(1)
})

test('two removals at the same time leave one key', async () => {
  const { clientId } = await addSigner(pairOf().jwk, pairOf().jwk)
  const both = (await keysOf(clientId)).map((key) => remove(clientId, nameOf(key)))
  expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual([
    'fulfilled',
    'rejected',
  ])
  expect(await keysOf(clientId)).toHaveLength(1)
})

describe('refuses', () => {
  test.each<[string, (clientId: string) => Promise<unknown>, RegExp]>([
    ['a private JWK', (id) => addJwk(id, pairOf().privateJwk), /^The key has a private or symmetric key/],
    ['a private key in PEM', (id) => addPem(id, pairOf().privatePem), /^pem is a private key/],
    ['a text that is no PEM', (id) => addPem(id, 'x'), /^pem must be a public key/],
    ['a weak key', (id) => addPem(id, weakPem()), /^The key must have 2048 to 4096 bits/],
    ['a key for encryption', (id) => addJwk(id, { ...pairOf().jwk, use: 'enc' }), /another use/],
    ['an invisible kid', (id) => addJwk(id, pairOf().jwk, 'a\u200b'), /^The kid of the key has/],
    [
      'no object',
      (id) => rpcs().addClientKey({ clientId: id, key: undefined, kid: undefined, actor: sender }, call),
      /missing/,
    ],
  ])('%s', async (_, add, description) => {
    const { clientId } = await addSigner(pairOf().jwk)
    await expect(add(clientId)).rejects.toThrow(refused(description))
    expect(await keysOf(clientId)).toHaveLength(1)
  })

  test('a key that the client has, and a kid that another one has', async () => {
    const { jwk } = pairOf()
    const { clientId } = await addSigner({ ...jwk, kid: 'one' })
    await expect(addJwk(clientId, jwk, 'two')).rejects.toThrow(refused('The client has this key already.'))
    await expect(addJwk(clientId, pairOf().jwk, 'one')).rejects.toThrow(refused(/this kid/))
  })

  test('more than ten keys', async () => {
    const { clientId } = await addSigner(...Array.from({ length: 10 }, () => pairOf().jwk))
    await expect(addJwk(clientId, pairOf().jwk)).rejects.toThrow(refused('jwks has more than 10 keys.'))
  })

  test('keys of clients that have them elsewhere, or none', async () => {
    const uri = { jwks_uri: 'https://app.example/keys.json' }
    const elsewhere = await shared.add({ tokenEndpointAuthMethod: 'private_key_jwt', metadata: uri })
    await expect(addJwk(elsewhere.clientId, pairOf().jwk)).rejects.toThrow(refused(/publishes its keys/))
    const secret = await shared.add()
    await expect(addJwk(secret.clientId, pairOf().jwk)).rejects.toThrow(
      refused(/does not authenticate with a key/),
    )
  })

  test('administrators of only a part, for a client of the administration', async () => {
    const { clientId } = await shared.add({
      ...{
        tokenEndpointAuthMethod: 'private_key_jwt',
        scope: 'admin',
        metadata: { jwks: { keys: [pairOf().jwk] } },
      },
    })
    const limited = actorMessage({ ...actor, limited: true })
    const key = { $case: 'jwk' as const, value: pairOf().jwk }
    const adding = rpcs().addClientKey({ clientId, key, kid: undefined, actor: limited }, call)
    await expect(adding).rejects.toMatchObject({ code: 'access_denied' })
    const thumbprint = nameOf((await keysOf(clientId))[0] as ClientKey)
    const removing = rpcs().removeClientKey({ clientId, thumbprint, actor: limited }, call)
    await expect(removing).rejects.toMatchObject({ code: 'access_denied' })
  })
})

describe('the last use', () => {
  const digest = (byte: number) => Buffer.alloc(32, byte)
  const note = (clientId: string, ...digests: Buffer[]) =>
    createKeyUseStore(shared.replica().database)(digests.map((one) => ({ clientId, digest: one })))

  test('is told of stored keys, and of those at a jwks_uri the last used first', async () => {
    const { clientId } = await addSigner(pairOf().jwk)
    const [key] = await keysOf(clientId)
    await note(clientId, (key as ClientKey).thumbprint, digest(9))
    expect(await keysOf(clientId)).toMatchObject([{ kty: 'EC', lastUsedAt: expect.any(Date) }])
    const uri = { jwks_uri: 'https://app.example/keys.json' }
    const elsewhere = await shared.add({ tokenEndpointAuthMethod: 'private_key_jwt', metadata: uri })
    await note(elsewhere.clientId, digest(1))
    await note(elsewhere.clientId, digest(2))
    await note('client_nobody', digest(3))
    expect((await keysOf(elsewhere.clientId)).map(({ thumbprint, kty }) => [thumbprint[0], kty])).toEqual([
      [2, undefined],
      [1, undefined],
    ])
  })

  test('is kept for 90 days, and the very last one for good', async () => {
    const { clientId } = await addSigner(pairOf().jwk)
    await note(clientId, digest(1), digest(2), digest(3))
    const left = async () =>
      shared.query(
        'select get_byte(thumbprint, 0) as byte from clients.client_key_uses where client_id = $1 order by 1',
        [clientId],
      )
    const age = (days: number, ...bytes: number[]) =>
      shared.query(
        'update clients.client_key_uses set last_used_at = now() - make_interval(days => $1) where client_id = $2 and get_byte(thumbprint, 0) = any($3)',
        [days, clientId, bytes],
      )
    await age(91, 1, 2)
    await deleteOldKeyUses(shared.replica().database)
    expect(await left()).toEqual([{ byte: 3 }])
    await age(200, 3)
    await deleteOldKeyUses(shared.replica().database)
    expect(await left()).toEqual([{ byte: 3 }])
  })

  test('is noted of so many keys of a client only, whatever it publishes', async () => {
    const { clientId } = await addSigner(pairOf().jwk)
    for (let byte = 0; byte < mostKeysOfClient + 5; byte += 1) await note(clientId, digest(byte))
    expect(
      await shared.query('select count(*)::int from clients.client_key_uses where client_id = $1', [
        clientId,
      ]),
    ).toEqual([{ count: mostKeysOfClient }])
  })
})

function weakPem(): string {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 })
  return publicKey.export({ format: 'pem', type: 'spki' }).toString()
}
