import type { Line } from '../history/lines.ts'
import { checkAudit } from './audit.ts'
import type { Check } from './check.ts'
import { checkConsumers } from './consumers.ts'
import { checkEvents } from './events.ts'
import { collectFacts } from './facts.ts'
import { checkFamilies, settleFamilies } from './families.ts'
import { checkKeys } from './keys.ts'
import { checkOperations } from './operations.ts'
import { checkStored } from './stored.ts'

/**
 * Checks a history. It knows only what clients asked and heard and what was found afterwards, and nothing of the code that
 * answered them.
 * @param read reads the history from its beginning
 */
export async function checkHistory(read: () => AsyncIterable<Line>): Promise<Check[]> {
  const facts = await collectFacts(read())
  settleFamilies(facts)
  const checks = [
    ...checkFamilies(facts),
    ...(await checkOperations(read(), facts)),
    await checkStored(read(), facts),
    ...(await checkEvents(read())),
    await checkAudit(read()),
    await checkKeys(read(), facts),
    ...(await checkConsumers(read(), facts.calmAt)),
  ]
  return merged(checks)
}

/** Some checks look at the same thing in two ways. */
function merged(checks: readonly Check[]): Check[] {
  const byName = new Map<string, Check>()
  for (const check of checks) {
    const { name, checked = 0, failures = [] } = byName.get(check.name) ?? { name: check.name }
    byName.set(name, { name, checked: checked + check.checked, failures: [...failures, ...check.failures] })
  }
  return [...byName.values()]
}
