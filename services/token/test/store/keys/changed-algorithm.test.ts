import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepNothing } from '@gatehouse/data/pending-events'
import { emitNothing } from '@gatehouse/kit/events/emission'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import type { SigningAlgorithm } from '@gatehouse/proto/algorithms'
import { makeJwt } from '@gatehouse/test/jwt'
import { createDatabase, type TestDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createKeyEncryption } from '../../../src/keys/key-encryption.ts'
import { createKeyRotation, keyDurations } from '../../../src/keys/key-rotation.ts'
import { createSigningKeys } from '../../../src/keys/signing-keys.ts'
import { createSigningKeyStore } from '../../../src/store/keys/signing-keys.ts'
import { createAccessTokenSigner } from '../../../src/tokens/access-token.ts'
import { someActor } from '../../keys/key-store.ts'

const secret = 'a secret of at least thirty-two bytes'
const issuer = 'https://auth.example'

let created: TestDatabase
let database: Database
beforeAll(async () => {
  created = await createDatabase()
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 5 })
})
afterAll(async () => {
  await database.close()
  await created.drop()
})
beforeEach(() => database.pool.query('update token.signing_keys set issued_until = null'))

/** A replica whose access tokens are signed with this algorithm, as main.ts wires it. */
async function replica(algorithm: SigningAlgorithm) {
  const store = createSigningKeyStore(database, keepNothing)
  const encryption = createKeyEncryption(secret)
  const monotonicNow = () => performance.now()
  const keys = createSigningKeys({ secret, encryption, store, monotonicNow, sleep, wereRead: () => {} })
  const rotation = createKeyRotation({
    ...{ keys, store, encryption, accessTokenAlgorithm: algorithm, sleep, emit: emitNothing },
    keyPairAlgorithms: algorithm === 'HS256' ? [] : [algorithm],
    durations: keyDurations(300, 604_800),
    randomUuid: randomUUIDv7,
    log: recordedLog().log,
  })
  await rotation.prepare()
  return { ...rotation, ...createAccessTokenSigner(keys, { algorithm, issuer, audience: undefined }) }
}

const now = () => Math.floor(Date.now() / 1000)
/** Claims for the row of a token that was issued at a time, in milliseconds since the Unix epoch. */
const claimsAt = (time: number) => {
  const hex = time.toString(16).padStart(12, '0')
  const jti = `${hex.slice(0, 8)}-${hex.slice(8)}${randomUUIDv7().slice(13)}`
  const iat = now() - 86_400
  return { iss: issuer, sub: 'a', aud: issuer, exp: now() + 3_600, iat, jti, scope: 'read', client_id: 'a' }
}
const forgedAt = (time: number) => makeJwt({ alg: 'HS256', typ: 'at+jwt' }, claimsAt(time), secret)
const minute = 60_000

test('the secret verifies whatever is signed with it while it signs', async () => {
  const { verify } = await replica('HS256')
  expect(await verify(forgedAt(Date.now() + minute))).toBeDefined()
})

test('once another algorithm signs, the secret verifies only what is older, whatever iat says', async () => {
  const before = Date.now() - minute
  await replica('HS256')
  const { verify, sign } = await replica('ES256')
  expect(await verify(forgedAt(before))).toMatchObject({ sub: 'a' })
  expect(await verify(forgedAt(Date.now() + minute))).toBeUndefined()
  const own = await sign(claimsAt(Date.now() + minute))
  expect(await verify(own)).toMatchObject({ sub: 'a' })
  // The time is stored, so that a replica that starts later does not move it.
  await database.pool.query(`update token.signing_keys set issued_until = now() - interval '1 hour'`)
  expect(await (await replica('ES256')).verify(forgedAt(before))).toBeUndefined()
})

test('a replica that still signs with the secret lets it verify for all of them', async () => {
  const other = await replica('ES256')
  const derived = await replica('HS256')
  const [row] = (await database.pool.query('select issued_until from token.signing_keys')).rows
  expect(row.issued_until).toBeNull()
  // Once it is gone, what it signed until then stays valid.
  await derived.refresh()
  const signed = await derived.sign(claimsAt(Date.now()))
  await other.refresh()
  expect(await other.verify(signed)).toBeDefined()
  expect(await other.verify(forgedAt(Date.now() + minute))).toBeUndefined()
})

test('a derived key that was rotated verifies nothing newer either', async () => {
  const { rotate, verify, sign } = await replica('HS256')
  await rotate({ immediately: false }, someActor)
  expect(await verify(forgedAt(Date.now() - minute))).toBeDefined()
  expect(await verify(forgedAt(Date.now() + minute))).toBeUndefined()
  expect(await verify(await sign(claimsAt(Date.now() + minute)))).toBeDefined()
})
