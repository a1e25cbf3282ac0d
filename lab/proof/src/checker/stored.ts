import type { Line } from '../history/lines.ts'
import { type Check, openCheck, time } from './check.ts'
import type { Facts } from './facts.ts'
import { checkNames } from './names.ts'

const day = 86_400_000

/** Checks that every token that was answered is in the database. The rows of a day are deleted when it is over. */
export async function checkStored(lines: AsyncIterable<Line>, facts: Facts): Promise<Check> {
  const stored = new Set<string>()
  for await (const line of lines) if (line.is === 'stored') for (const jti of line.tokens) stored.add(jti)
  const epoch = Date.parse(facts.header.date)
  const dayOf = (at: number) => Math.floor((epoch + at) / day)
  const check = openCheck(checkNames.stored)
  for (const [jti, { answered, expires }] of facts.tokens) {
    if (dayOf(expires) < dayOf(facts.calmAt)) continue
    check.count(stored.has(jti), () => ({
      at: answered,
      text: `the token ${jti}, answered at ${time(answered)}, is not stored`,
    }))
  }
  return check
}
