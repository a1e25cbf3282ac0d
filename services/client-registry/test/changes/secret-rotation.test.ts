import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { endClientSecret, rotateClientSecret } from '../../src/changes/secret-rotation.ts'
import { createSecretUseStore } from '../../src/store/secret-uses.ts'
import { actor, useReplicas } from '../registry.ts'

const shared = useReplicas()
const digestOf = (secret: string | undefined) =>
  createHash('sha256')
    .update(secret ?? '')
    .digest()
const app = {
  clientName: 'Acme',
  redirectUris: ['https://app.example/cb'],
  grantTypes: ['authorization_code'],
}
const rotate = (clientId: string, overlapSeconds: number, replica = shared.replica()) =>
  rotateClientSecret({ clientId, overlapSeconds }, actor, replica.changes)
const secretsOf = async (clientId: string) => {
  const [found] = await shared.replica().store.find([clientId])
  return new Map(
    found?.secrets.map(({ digest, expiresAt }) => [Buffer.from(digest).toString('hex'), expiresAt]),
  )
}
const hex = (secret: string | undefined) => digestOf(secret).toString('hex')

test('lets the previous secret expire after the overlap, and writes an audit entry without a secret', async () => {
  const { clientId, clientSecret: old, revision } = await shared.add()
  const before = Date.now()
  const { client, clientSecret } = await rotate(clientId, 3_600)
  expect(client.revision).not.toBe(revision)
  expect(client.secrets.map(({ expiresAt }) => expiresAt)).toEqual([undefined, expect.any(Date)])
  const secrets = await secretsOf(clientId)
  expect([...secrets.keys()].sort()).toEqual([hex(old), hex(clientSecret)].sort())
  expect(secrets.get(hex(clientSecret))).toBeUndefined()
  const seconds = ((secrets.get(hex(old))?.getTime() ?? 0) - before) / 1_000
  expect(Math.abs(seconds - 3_600)).toBeLessThan(30)
  const entries = await shared.auditOf(clientId)
  expect(entries.slice(1)).toEqual([
    {
      action: 'client.secret.rotate',
      before: null,
      after: { previous_secret_expires_at: secrets.get(hex(old))?.toISOString() },
    },
  ])
})

test('ends the previous secret at once without an overlap', async () => {
  const { clientId } = await shared.add()
  const { client, clientSecret } = await rotate(clientId, 0)
  expect(client.secrets).toMatchObject([{ expiresAt: undefined }])
  expect([...(await secretsOf(clientId)).keys()]).toEqual([hex(clientSecret)])
})

test('ends the oldest secret when a third is created within an overlap', async () => {
  const { clientId } = await shared.add()
  const second = await rotate(clientId, 3_600)
  const third = await rotate(clientId, 60)
  const secrets = await secretsOf(clientId)
  expect([...secrets.keys()].sort()).toEqual([hex(second.clientSecret), hex(third.clientSecret)].sort())
  expect(secrets.get(hex(second.clientSecret))).toBeInstanceOf(Date)
})

test('does not list a secret whose overlap has ended', async () => {
  const { clientId } = await shared.add()
  await rotate(clientId, 3_600)
  await shared.query(
    `update clients.client_secrets set expires_at = now() - interval '1 s'
     where client_id = $1 and expires_at is not null`,
    [clientId],
  )
  expect(await shared.replica().admin.list.get(clientId)).toMatchObject({
    secrets: [{ expiresAt: undefined }],
  })
})

test('keeps both new secrets valid when two replicas rotate at once, one of them with an expiry', async () => {
  const replicas = [shared.replica(), shared.another()]
  for (let round = 0; round < 10; round += 1) {
    const { clientId } = await shared.add()
    const rotated = await Promise.all(replicas.map((replica) => rotate(clientId, 60, replica)))
    const secrets = await secretsOf(clientId)
    expect([...secrets.keys()].sort()).toEqual(rotated.map(({ clientSecret }) => hex(clientSecret)).sort())
    expect([...secrets.values()].filter((end) => end === undefined)).toHaveLength(1)
  }
})

test('refuses an overlap of more than 30 days, and a public client', async () => {
  const { clientId } = await shared.add()
  await expect(rotate(clientId, 2_592_001)).rejects.toMatchObject({ code: 'invalid_request' })
  await rotate(clientId, 2_592_000)
  const open = await shared.add({ ...app, tokenEndpointAuthMethod: 'none' })
  await expect(rotate(open.clientId, 0)).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'A public client has no secret to rotate.',
  })
  expect(await secretsOf(open.clientId)).toEqual(new Map())
})

test('writes no secret and no digest into the audit log', async () => {
  const { clientId, clientSecret } = await shared.add()
  const rotated = await rotateClientSecret({ clientId, overlapSeconds: 60 }, actor, shared.replica().changes)
  const text = JSON.stringify(await shared.query('select * from clients.audit_log'))
  for (const secret of [clientSecret, rotated.clientSecret]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(digestOf(secret).toString('hex'))
  }
})

test('ends the previous secret before its time, once, and writes that down', async () => {
  const { clientId } = await shared.add()
  const { client, clientSecret } = await rotate(clientId, 3_600)
  const [current, previous] = client.secrets
  const end = (secretId = '') => endClientSecret({ clientId, secretId }, actor, shared.replica().changes)
  await expect(end(current?.secretId)).rejects.toMatchObject({
    code: 'invalid_request',
    description: 'This is the current secret. Create a new one to replace it.',
  })
  // Of two at once, one ends it.
  const both = await Promise.allSettled([end(previous?.secretId.toUpperCase()), end(previous?.secretId)])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([...(await secretsOf(clientId)).keys()]).toEqual([hex(clientSecret)])
  for (const secretId of [previous?.secretId, 'nothing', ''])
    await expect(end(secretId)).rejects.toMatchObject({ code: 'not_found' })
  expect((await shared.auditOf(clientId)).slice(2)).toEqual([
    {
      action: 'client.secret.end',
      before: {
        secret_created_at: previous?.createdAt.toISOString(),
        secret_expires_at: previous?.expiresAt?.toISOString(),
      },
      after: null,
    },
  ])
  const other = await shared.add()
  const theirs = await rotate(other.clientId, 60)
  await expect(end(theirs.client.secrets[1]?.secretId)).rejects.toMatchObject({ code: 'not_found' })
})

test('says when each secret was last used, which changes nothing about the client', async () => {
  const { clientId, clientSecret: old } = await shared.add()
  const { clientSecret, client } = await rotate(clientId, 60)
  expect(client.secrets.map(({ lastUsedAt }) => lastUsedAt)).toEqual([undefined, undefined])
  const note = createSecretUseStore(shared.replica().database)
  const used = { clientId, digest: digestOf(old) }
  const before = Date.now()
  // Two replicas of the token service at once; and what has ended meanwhile is left out.
  await Promise.all([note([used, used]), note([{ clientId, digest: digestOf('ended') }, used])])
  const now = await shared.replica().admin.list.get(clientId)
  expect(now?.revision).toBe(client.revision)
  const [current, previous] = now?.secrets ?? []
  expect(current?.lastUsedAt).toBeUndefined()
  expect(Math.abs((previous?.lastUsedAt?.getTime() ?? 0) - before)).toBeLessThan(60_000)
  await shared.query(`update clients.client_secret_uses set last_used_at = now() - interval '1 hour'`)
  await note([used, { clientId, digest: digestOf(clientSecret) }])
  const later = await shared.replica().admin.list.get(clientId)
  for (const { lastUsedAt } of later?.secrets ?? [])
    expect(Date.now() - (lastUsedAt?.getTime() ?? 0)).toBeLessThan(1_800_000)
})
