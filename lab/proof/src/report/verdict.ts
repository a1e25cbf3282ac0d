import type { Check } from '../checker/check.ts'

const mostShown = 10

/** Whether all checks passed. */
export function passed(checks: readonly Check[]): boolean {
  return checks.every(({ failures }) => failures.length === 0)
}

/** Shows the results of checks. */
export function tellChecks(checks: readonly Check[], tell: (line: string) => void): void {
  for (const { name, checked, failures } of checks) {
    tell(`${failures.length === 0 ? 'good ' : 'WRONG'}  ${name} (${checked})`)
    for (const { text } of failures.slice(0, mostShown)) tell(`       ${text}`)
    if (failures.length > mostShown) tell(`       and ${failures.length - mostShown} more`)
  }
}
