import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { run, runHere } from '@gatehouse/test/programs/run'
import { oraclesPage } from './page.ts'
import { type Oracle, type OracleName, type OracleRun, oracles } from './table.ts'

// Runs the oracles that the arguments name, by default all of them, and writes how they ended into results.json and
// docs/evidence/oracles.md.

const resultsFile = join(import.meta.dirname, 'results.json')
const known = Object.keys(oracles) as OracleName[]
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !known.some((other) => other === name))
if (unknown.length > 0) {
  console.error(
    `There is no oracle ${unknown.join(', ')}: name some of ${known.join(', ')}, or none for all.`,
  )
  process.exit(2)
}

const { stdout: revision } = await run('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: rootDirectory })
const results = JSON.parse(await readFile(resultsFile, 'utf8')) as Partial<Record<OracleName, OracleRun>>
for (const name of known.filter((other) => asked.length === 0 || asked.includes(other))) {
  const begun = Date.now()
  const counts = await judge(oracles[name])
  results[name] = {
    day: new Date(begun).toISOString().slice(0, 10),
    revision: revision.trim(),
    ...counts,
    seconds: Math.round((Date.now() - begun) / 1000),
  }
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1
  await writeFile(resultsFile, `${JSON.stringify(results, undefined, 2)}\n`)
}
await writeFile(join(rootDirectory, 'docs/evidence/oracles.md'), oraclesPage())

/** Runs the tests of an oracle, none of which may be skipped. @returns how many passed and failed */
async function judge({ tests }: Oracle): Promise<Pick<OracleRun, 'passed' | 'failed'>> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-oracle-'))
  const report = join(directory, 'report.json')
  try {
    const vitest = join(rootDirectory, 'node_modules/vitest/vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
    const env = { ...process.env, GATEHOUSE_TEST_ORACLES: '1' }
    const parameters = [vitest, 'run', '--project', tests.project, ...reporters, ...tests.files]
    await runHere(process.execPath, parameters, { cwd: rootDirectory, env })
    const { numPassedTests, numTotalTests } = JSON.parse(await readFile(report, 'utf8'))
    return { passed: numPassedTests, failed: numTotalTests - numPassedTests }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
