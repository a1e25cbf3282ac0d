import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The test files that take half a minute or more, in an order in which no two that need the whole machine run at the same
 * time. If such a file began last, a core would be idle meanwhile. On a new clone Vitest does not know how long a file takes.
 */
const longest = [
  ...['upgrade/upgrade', 'e2e/system/crashes', 'e2e/logins/login-crashes', 'scaling/two-of-each'],
  ...[
    'e2e/grants/codes-replicas',
    'scaling/lost-replicas',
    'e2e/system/restarts',
    'scaling/replicas',
    'deploy/rules',
  ],
].map((name) => `/test/${name}.test.ts`)

/** Runs the long test files of each project first. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification) => {
      const found = longest.findIndex((name) => moduleId.endsWith(name))
      return found === -1 ? longest.length : found
    }
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => rank(a) - rank(b)),
    )
  }
}
