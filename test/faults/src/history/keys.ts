import type { Families } from './families.ts'
import type { Operation, Seen } from './operation.ts'

/**
 * Looks for a token whose key a verifier did not have: one that still uses the key set which it fetched before, or that fetched it later while the token
 * lived. Only planned rotations are in these histories; an immediate one takes keys away.
 */
export function* checkKeys(operations: readonly Operation[], { tokens }: Families): Generator<Seen> {
  const fetched = operations.filter(({ kind, gave }) => kind === 'get key set' && gave?.keyIds)
  for (const { issued, keyId, expires } of tokens.values()) {
    if (keyId === undefined) continue
    // Its freshness counts from the request (RFC 9111 section 4.2.3).
    const without = fetched.find(
      ({ invoked, gave }) =>
        invoked + (gave?.maxAge ?? 0) > issued.invoked && invoked < expires && !gave?.keyIds?.includes(keyId),
    )
    if (without) {
      const said = `${(without.returned / 1000).toFixed(3)} s`
      const text = `the key set of ${said} lacks the key that signed the token of ${(issued.returned / 1000).toFixed(3)} s`
      yield { text, at: issued.returned }
    }
  }
  for (const { kind, outcome, returned } of operations)
    if (kind === 'verify' && outcome === 'refused')
      yield { text: 'a token could not be verified with a key set that may be used', at: returned }
}
