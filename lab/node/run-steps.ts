import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { run } from '@gatehouse/test/programs/programs'
import { namespace } from './cluster.ts'
import { seconds } from './findings.ts'
import { type Results, revision } from './page.ts'
import { inRun } from './places.ts'
import { steps } from './steps/table.ts'

// Runs steps, or those that the arguments name, and writes what they found. main.ts runs this on the node.

const names = process.argv.slice(2)
const unknown = names.filter((name) => !steps.some((step) => step.name === name))
if (unknown.length > 0)
  throw new Error(`No such step: ${unknown}. There are ${steps.map(({ name }) => name)}`)

/** The results of earlier runs on this node, which count until a step is run again. */
const file = inRun('results.json')
const results: Results = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
let failed = 0
for (const { name, title, run: runStep } of steps) {
  if (names.length > 0 && !names.includes(name)) continue
  console.log(`\n${title} (${name})`)
  const began = Date.now()
  const findings: Results[number]['findings'] = []
  const found = (what: string, seen: string) => {
    findings.push({ what, seen })
    console.log(`  ${what}: ${seen}`)
  }
  const error = await runStep(found).then(
    () => undefined,
    (thrown) => String(thrown.stack ?? thrown),
  )
  const result = {
    name,
    title,
    at: began,
    took: Date.now() - began,
    revision: await revision(),
    findings,
    error,
  }
  results.splice(0, results.length, ...results.filter((one) => one.name !== name), result)
  console.log(`  ${error === undefined ? 'passed' : `FAILED: ${error}`} (${seconds(Date.now() - began)})`)
  writeFileSync(file, JSON.stringify(results))
  if (error === undefined) continue
  failed += 1
  await lookAround()
  // Without an installation there is nothing to try.
  if (name === 'install') break
}

/** Says what there is, for those who look for the cause. */
async function lookAround(): Promise<void> {
  const about = [
    ['get', 'pods', '-o', 'wide'],
    ['get', 'events', '--sort-by=.lastTimestamp', '--field-selector=type=Warning'],
  ]
  for (const argv of about) {
    const { stdout, stderr } = await run('kubectl', ['-n', namespace, ...argv])
    console.log((stdout || stderr).split('\n').slice(-16).join('\n'))
  }
}

console.log(failed === 0 ? '\nAll passed.' : `\n${failed} failed.`)
process.exit(failed > 0 ? 1 : 0)
