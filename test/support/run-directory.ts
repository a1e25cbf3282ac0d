import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates the run's directory for files that outlive a test file (GATEHOUSE_TEST_DIRECTORY), and removes it at the end. */
export default async function setUp(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-run-'))
  process.env.GATEHOUSE_TEST_DIRECTORY = directory
  return () => rm(directory, { recursive: true, force: true, maxRetries: 5 })
}

/** The run's directory. */
export function runDirectory(): string {
  const directory = process.env.GATEHOUSE_TEST_DIRECTORY
  if (!directory) throw new Error('GATEHOUSE_TEST_DIRECTORY is not set: run the tests by vitest')
  return directory
}
