import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import setUpPostgres from '../../test/support/postgres/postgres-setup.ts'
import { runHere } from '../../test/support/programs/run.ts'
import setUpDirectory from '../../test/support/run-directory.ts'
import { type Group, groups } from './groups.ts'

// Changes the modules that decide, one place after the other, and sees whether a test fails each time:
//   npm run test:mutation                    all groups, half an hour
//   npm run test:mutation -- --only pkce     one of groups.ts

const { values } = parseArgs({ options: { only: { type: 'string' } } })
const names = values.only === undefined ? Object.keys(groups) : [values.only]
const root = join(import.meta.dirname, '../..')
const directory = join(root, '.mutation')

/** Runs Stryker on a group. @returns its exit code */
async function run(name: string, { mutate, tests }: Group): Promise<number> {
  const options = {
    mutate,
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', join(import.meta.dirname, 'words.ts')],
    ignorers: ['words'],
    vitest: { configFile: 'lab/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    concurrency: 1,
    reporters: ['clear-text', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
    jsonReporter: { fileName: join(directory, `${name}.json`) },
    tempDirName: join(directory, 'sandbox'),
    ignorePatterns: ['docs', 'services/console', '.mutation', '.turbo'],
    // Stryker would rewrite the real one by an API that TypeScript 7 does not have. Nothing here reads it.
    tsconfigFile: 'no-tsconfig.json',
  }
  const file = join(directory, `${name}.config.json`)
  await mkdir(directory, { recursive: true })
  await writeFile(file, JSON.stringify(options))
  const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js')
  return runHere(process.execPath, [stryker, 'run', file], {
    cwd: root,
    env: { ...process.env, GATEHOUSE_MUTATION_TESTS: tests.join(' ') },
  })
}

const unknown = names.find((name) => !Object.hasOwn(groups, name))
if (unknown !== undefined) {
  console.error(`There is no group ${unknown}: ${Object.keys(groups).join(', ')}.`)
  process.exitCode = 2
} else {
  const ended = new AsyncDisposableStack()
  ended.defer(await setUpDirectory())
  ended.defer(await setUpPostgres())
  for (const name of names) process.exitCode = (await run(name, groups[name] as Group)) || process.exitCode
  await ended.disposeAsync()
}
