import { globSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { run } from '@gatehouse/test/programs/programs'
import { runHere } from '@gatehouse/test/programs/run'
import { checkOutLastRelease, ownEnvironment, releases } from '@gatehouse/test/release'
import { onlyAddsTables } from './only-adds-tables.ts'

// Runs the last release's end-to-end tests on the tables of this one, as it runs during an upgrade and after a roll-back.
// This release never runs on the last release's tables, because its processes wait for the migrations. Tables that are only added
// need no such run, unless the first argument, a commit to use instead of the last release, is given; further arguments are the
// test files to run. A file that fails is run once more, alone, since the tests of a release can no longer be fixed.

/** Tests whose statements read and write every table; the others send statements that these send, too, or none. */
const withTables = new RegExp(
  `/(${[
    'admin-api|admin-effects|mail-administration|own-account|factor-policy|second-factor|social-login|import-users|login-sessions',
    'registration|registration-management|client-changes|client-metadata|client-id-documents|import-clients|reborn-client',
    'unused-registrations|resources|protocol|codes-redemption|refresh-grants|revocations|signing-keys',
    'openid|openid-logout|openid-second-factor|events-ingest|webhook-deliveries',
  ].join('|')})\\.test\\.ts$`,
)

const [commit, ...tests] = process.argv.slice(2)
const release = await checkOutLastRelease(commit)
if (release === undefined) process.exit(0)
const { unreliable } = release
const namesIn = async (root: string) => (await readdir(join(root, 'prisma/migrations'))).sort()
const released = new Set(await namesIn(release.root))
const added = (await namesIn(rootDirectory)).filter((name) => !released.has(name))
if (added.length === 0) {
  console.log(`No migration since ${release.version}: both releases have been tested on these tables.`)
  process.exit(0)
}
const textOf = (name: string) =>
  readFile(join(rootDirectory, 'prisma/migrations', name, 'migration.sql'), 'utf8')
if (commit === undefined && onlyAddsTables(await Promise.all(added.map(textOf)))) {
  console.log(`The migrations since ${release.version} only add tables, which its processes do not know.`)
  process.exit(0)
}

console.log(`The tests of ${release.version} with ${added.join(', ')}`)
const older = await copyOf(release.root)
try {
  for (const name of added) {
    const migration = join('prisma/migrations', name)
    await cp(join(rootDirectory, migration), join(older, migration), { recursive: true })
  }
  await endToEnd(older)
} finally {
  await rm(older, { recursive: true, force: true })
}

/** A copy in which files may be replaced, without what a system leaves behind. Files are links, since no test writes into them. */
async function copyOf(root: string): Promise<string> {
  const copy = await mkdtemp(join(releases, 'copy-'))
  const parts = (await readdir(root)).filter(
    (name) => !['.git', '.cache', '.gatehouse', '.turbo'].includes(name),
  )
  const { ok, stderr } = await run('cp', ['-al', ...parts.map((name) => join(root, name)), copy])
  if (!ok) throw new Error(`cannot copy the checkout: ${stderr}`)
  return copy
}

async function endToEnd(root: string): Promise<void> {
  const stored = globSync('test/e2e/**/*.test.ts', { cwd: root }).filter((name) => withTables.test(name))
  if (stored.length < 20)
    throw new Error(`${root} has only ${stored.length} of the test files that are to run`)
  const failed = await failuresOf(root, tests.length > 0 ? tests : stored)
  const again: string[] = []
  for (const name of failed) {
    console.log(`Once more: ${name}`)
    again.push(...(await failuresOf(root, [name])))
  }
  if (again.length === 0) return
  console.log(`The tests of the release fail on these tables: ${again.join(', ')}`)
  process.exitCode = 1
}

/** The part of the output of vitest's JSON reporter that is read here. */
type TestResult = { title: string; status: string }
type Results = { testResults: { name: string; assertionResults: TestResult[] }[] }

/** Runs test files, and gives those in which a test failed, or was skipped although none may be. */
async function failuresOf(root: string, files: string[]): Promise<string[]> {
  const output = join(root, 'results.json')
  await rm(output, { force: true })
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`]
  const others = unreliable.length > 0 ? ['-t', `^(?!.*(${unreliable.join('|')}))`] : []
  const parameters = [vitest, 'run', '--project', 'systems', ...reporters, ...others, ...files]
  await runHere(process.execPath, parameters, { cwd: root, env: ownEnvironment(root) })
  const { testResults } = JSON.parse(await readFile(output, 'utf8')) as Results
  const passes = ({ title, status }: TestResult) =>
    status === 'passed' ||
    (status !== 'failed' && (unreliable.includes(title) || !process.env.GATEHOUSE_TEST_FORBID_SKIP))
  const isGood = ({ assertionResults: all }: Results['testResults'][number]) =>
    all.length > 0 && all.every(passes)
  const missing = testResults.length === 0 ? files : []
  return [...missing, ...testResults.filter((file) => !isGood(file)).map(({ name }) => name)]
}
