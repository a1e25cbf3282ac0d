import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The test files of half a minute and more, in an order in which two that need all of the machine do not meet. One that
 * began last would leave a core idle for as long. On a new clone Vitest does not know how long a file takes.
 */
const longest = [
  ...['upgrade/upgrade', 'e2e/crashes', 'e2e/login-crashes', 'e2e/openapi-requests', 'scaling/rolling'],
  ...['e2e/codes-replicas', 'scaling/lost-replicas', 'e2e/restarts', 'scaling/replicas', 'deploy/rules'],
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
