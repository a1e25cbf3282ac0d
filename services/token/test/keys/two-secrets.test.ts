import crypto, { type createHmac, randomUUIDv7 } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { expect, test } from 'vitest'
import { digestOf } from '../../src/keys/digest.ts'
import { defaultKid, deriveSigningKey } from '../../src/keys/signing-key.ts'
import { createSuccession, createSuccessions } from '../../src/tokens/refresh-token.ts'

const [old, fresh] = ['the old secret of these tests, 32 bytes', 'the new secret of these tests, 32 bytes']
const kids = [defaultKid, randomUUIDv7()]

test.each(kids)('the current secret signs and both verify, with the key %s', async (kid) => {
  const [announced, swapped] = [deriveSigningKey([old, fresh], kid), deriveSigningKey([fresh, old], kid)]
  expect(await announced.sign('a.b')).toBe(await deriveSigningKey(old, kid).sign('a.b'))
  expect(await swapped.sign('a.b')).toBe(await deriveSigningKey(fresh, kid).sign('a.b'))
  for (const signature of [await announced.sign('a.b'), await swapped.sign('a.b')]) {
    expect([announced, swapped].map((key) => key.verifies('a.b', signature))).toEqual([true, true])
    expect([announced, swapped].map((key) => key.verifies('a.c', signature))).toEqual([false, false])
  }
  const third = await deriveSigningKey('a third secret of these tests, 32 bytes', kid).sign('a.b')
  expect([announced, swapped].map((key) => key.verifies('a.b', third))).toEqual([false, false])
})

/** How many HMACs a function takes. */
function hmacsOf(work: () => unknown): number {
  let count = 0
  crypto.createHmac = ((...of: Parameters<typeof createHmac>) => {
    count += 1
    return original(...of)
  }) as typeof createHmac
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    crypto.createHmac = original
    syncBuiltinESMExports()
  }
  return count
}
const original = crypto.createHmac

test('a second HMAC is made only for what the current secret did not sign, and only while there is a next one', async () => {
  const [alone, changing] = [deriveSigningKey(fresh, defaultKid), deriveSigningKey([fresh, old], defaultKid)]
  const [before, now] = [await deriveSigningKey(old, defaultKid).sign('a.b'), await alone.sign('a.b')]
  const counts = [alone, changing].map((key) =>
    [now, before, 'garbage'].map((signature) => hmacsOf(() => key.verifies('a.b', signature))),
  )
  expect(counts).toEqual([
    [1, 1, 1],
    [1, 2, 2],
  ])
})

test.each([undefined, 1_900_000_000])(
  'a repeated refresh gives the successor that is stored (expiry %s)',
  async (expiresAt) => {
    const stored = new Set<string>()
    const find = async (digest: Uint8Array) =>
      stored.has(String(digest)) ? { clientId: 'c', grantId: 'g', ended: false } : undefined
    const { successorOf, storedSuccessorOf } = createSuccessions([fresh, old], { find })
    const [former, latter] = [createSuccession(old)('a', expiresAt), createSuccession(fresh)('a', expiresAt)]
    expect(successorOf('a', expiresAt)).toBe(latter)
    stored.add(String(digestOf(latter)))
    expect(await storedSuccessorOf?.('a', expiresAt)).toBe(latter)
    stored.clear()
    stored.add(String(digestOf(former)))
    expect(await storedSuccessorOf?.('a', expiresAt)).toBe(former)
    expect(createSuccessions(fresh, { find }).storedSuccessorOf).toBeUndefined()
  },
)
