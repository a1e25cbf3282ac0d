import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { runHere } from '@gatehouse/test/programs/run'

// Runs the OpenID Foundation's conformance suite, where it is installed with its rig, against this server: see
// docs/evidence/conformance.md. Arguments are passed on to the rig.

const here = import.meta.dirname
const { GATEHOUSE_CONFORMANCE, JAVA_HOME } = process.env
const rig = GATEHOUSE_CONFORMANCE ?? join(homedir(), '.cache', 'gatehouse-conformance')
const keytool = JAVA_HOME ? join(JAVA_HOME, 'bin', 'keytool') : 'keytool'

if (!existsSync(join(rig, 'run.mjs')) || !existsSync(join(rig, 'lib', 'conformance-suite.jar'))) {
  console.log(`The conformance suite is not in ${rig}: set GATEHOUSE_CONFORMANCE to the folder of its rig.`)
} else if (spawnSync(keytool, ['-help']).error) {
  console.log(
    `The conformance suite needs a JDK, and ${keytool} is missing: set JAVA_HOME to one of release 21 or later.`,
  )
} else {
  // The rig may kill the provider, which then cannot delete its data.
  const data = await mkdtemp(join(tmpdir(), 'gatehouse-conformance-'))
  try {
    process.exitCode = await runHere(process.execPath, [
      join(rig, 'run.mjs'),
      join(here, 'plan.json'),
      ...['--op', `GATEHOUSE_DATA_DIR=${data} ${process.execPath} ${join(here, 'provider.ts')}`],
      ...['--expect', join(here, 'expected.json')],
      ...process.argv.slice(2),
    ])
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}
