import { randomUUIDv7 } from 'node:crypto'
import { defaultKid } from '../src/signing-key.ts'
import type { SigningKeyRecord, SigningKeyStore } from '../src/signing-keys.ts'

/** A store of signing keys that a test can stop, count, and give another time. */
export type KeyStoreOfTest = SigningKeyStore & {
  /** How often it was read. */
  reads: number
  /** What the next calls wait for; rejected: what they fail with. */
  gate: Promise<unknown>
  /** Milliseconds. */
  time: number
  forget(kid: string): void
}

/** The keys in memory, by a clock that stands still unless a test moves it. */
export function createKeyStore(): KeyStoreOfTest {
  let keys: { kid: string; createdAt: number; until: number }[] = [
    { kid: defaultKid, createdAt: 0, until: Number.POSITIVE_INFINITY },
  ]
  const records = (): SigningKeyRecord[] =>
    keys
      .filter(({ until }) => until > store.time)
      .map(({ kid, createdAt, until }) => ({
        kid,
        algorithm: 'HS256',
        createdAt: new Date(createdAt),
        verifiesUntil: until === Number.POSITIVE_INFINITY ? undefined : new Date(until),
        verifiesFor: until - store.time,
      }))
  const store: KeyStoreOfTest = {
    reads: 0,
    gate: Promise.resolve(),
    time: 0,
    forget(kid) {
      keys = keys.filter((key) => key.kid !== kid)
    },
    async list() {
      store.reads += 1
      // What a statement sees is what was so when it began.
      const seen = records()
      await store.gate
      return seen
    },
    async rotate(kid, verifyFor) {
      await store.gate
      for (const key of keys) key.until = Math.min(key.until, store.time + verifyFor * 1000)
      keys.unshift({ kid, createdAt: store.time, until: Number.POSITIVE_INFINITY })
      return records()
    },
  }
  return store
}

/** Who does it in the tests. */
export const someActor = { kind: 'user', id: randomUUIDv7(), name: 'ann', ipAddress: '192.0.2.1' } as const
