import { randomUUIDv7 } from 'node:crypto'
import type { SigningKeyStore } from '../../src/keys/key-rotation.ts'
import { defaultKid } from '../../src/keys/signing-key.ts'
import type { SigningKeyRecord } from '../../src/keys/signing-keys.ts'

/** A store of signing keys that a test can stop and count, with a clock that the test sets. */
export type KeyStoreOfTest = SigningKeyStore & {
  /** How often it was read. */
  reads: number
  /** The next calls wait for this, and fail with its error if it is rejected. */
  gate: Promise<unknown>
  /** Milliseconds. */
  time: number
  forget(kid: string): void
}

/** Creates a store of derived keys in memory. Its clock stands still unless a test moves it. */
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
        state: until === Number.POSITIVE_INFINITY ? 'active' : 'retiring',
        createdAt: new Date(createdAt),
        activatesAt: undefined,
        isDue: false,
        verifiesUntil: until === Number.POSITIVE_INFINITY ? undefined : new Date(until),
        verifiesFor: until - store.time,
        encryptedKey: undefined,
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
      // Read before the gate, since a statement sees the state at its beginning.
      const seen = records()
      await store.gate
      return seen
    },
    ...noKeyPairs,
    signsDerived: unasked,
    async rotate(kid, verifyFor) {
      await store.gate
      for (const key of keys) key.until = Math.min(key.until, store.time + verifyFor * 1000)
      keys.unshift({ kid, createdAt: store.time, until: Number.POSITIVE_INFINITY })
      return records()
    },
  }
  return store
}

async function unasked(): Promise<never> {
  throw new Error('the store was asked for key pairs')
}

const noKeyPairs = {
  addFirst: unasked,
  stage: unasked,
  replace: unasked,
  activateDue: unasked,
  deletePairs: unasked,
} satisfies Partial<SigningKeyStore>

/** The actor in the tests. */
export const someActor = { kind: 'user', id: randomUUIDv7(), name: 'ann', ipAddress: '192.0.2.1' } as const
