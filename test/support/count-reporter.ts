import type { Reporter, TestModule } from 'vitest/node'

/**
 * Prints the counts of a run in one line at its end, lists the tests that passed only at a second attempt with the errors of the first,
 * and fails the run if tests were skipped although GATEHOUSE_TEST_FORBID_SKIP forbids it.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result()
        count[state] += 1
        if (!test.diagnostic()?.flaky) continue
        console.log(`Passed only at the second try: ${test.fullName}`)
        // Vitest itself prints the errors of failed tests only.
        for (const { stack, message } of errors) console.log(stack ?? message)
      }
    }
    console.log(`\n${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`)
    if (process.env.GATEHOUSE_TEST_FORBID_SKIP && count.skipped > 0) {
      console.log('Tests were skipped, and GATEHOUSE_TEST_FORBID_SKIP is set.')
      process.exitCode = 1
    }
  }
}
