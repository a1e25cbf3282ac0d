import type { Line } from '../history/lines.ts'
import { type Check, openCheck, time } from './check.ts'
import type { Facts } from './facts.ts'
import { checkNames } from './names.ts'

/**
 * Checks that every verifier can verify every token: a key is in each key set that may be used at any time between the first token
 * that it signed was answered and the last one expired.
 */
export async function checkKeys(lines: AsyncIterable<Line>, { tokens }: Facts): Promise<Check> {
  const used = new Map<string, { first: number; last: number }>()
  for (const { kid, answered, expires } of tokens.values()) {
    const { first, last } = used.get(kid) ?? { first: answered, last: expires }
    used.set(kid, { first: Math.min(first, answered), last: Math.max(last, expires) })
  }
  const check = openCheck(checkNames.keys)
  for await (const line of lines) {
    if (line.is !== 'operation' || line.name !== 'key set' || line.outcome !== 'ok') continue
    const { kids = [], maxAge = 0 } = line.heard
    // Its freshness counts from the request (RFC 9111 section 4.2.3).
    const until = line.invoked + maxAge
    for (const [kid, { first, last }] of used) {
      if (line.returned > last || until < first) continue
      check.count(kids.includes(kid), () => ({
        at: Math.max(line.returned, first),
        text: `the key ${kid} signed at ${time(first)} and is not in the key set of ${time(line.returned)}, which may be used until ${time(until)}`,
      }))
    }
  }
  return check
}
