import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

// Runs the OpenID Foundation's conformance suite, where it is installed with its rig, against this server: see
// docs/conformance.md. Arguments are passed on to the rig.

const here = import.meta.dirname
const rig = process.env.GATEHOUSE_CONFORMANCE ?? join(homedir(), '.cache', 'gatehouse-conformance')

if (!existsSync(join(rig, 'run.mjs')) || !existsSync(join(rig, 'lib', 'conformance-suite.jar'))) {
  console.log(`The conformance suite is not in ${rig}: set GATEHOUSE_CONFORMANCE to the folder of its rig.`)
} else {
  const { status } = await run([
    join(rig, 'run.mjs'),
    join(here, 'plan.json'),
    ...['--op', `${process.execPath} ${join(here, 'provider.ts')}`],
    ...['--expect', join(here, 'expected.json')],
    ...process.argv.slice(2),
  ])
  process.exitCode = status
}

/** Runs the rig with this Node. */
function run(parameters: string[]): Promise<{ status: number }> {
  const rigProcess = spawn(process.execPath, parameters, { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    rigProcess.on('error', reject)
    rigProcess.on('exit', (code) => resolve({ status: code ?? 1 }))
  })
}
