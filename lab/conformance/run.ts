import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runHere } from '@gatehouse/test/programs/run'
import type { ModuleResult } from './relying-party.ts'

// Runs the OpenID Foundation's conformance suite, where it is installed with its rig, against this server: see
// docs/evidence/conformance.md. With `relying-party` as its first argument, the suite plays the identity provider of a connection. Other
// arguments are passed on to the rig.

const here = import.meta.dirname
const { GATEHOUSE_CONFORMANCE, JAVA_HOME } = process.env
const rig = GATEHOUSE_CONFORMANCE ?? join(homedir(), '.cache', 'gatehouse-conformance')
const keytool = JAVA_HOME ? join(JAVA_HOME, 'bin', 'keytool') : 'keytool'
const [role, ...rest] = process.argv.slice(2)

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
    process.exitCode = role === 'relying-party' ? await judgeRelyingParty(data) : await judgeProvider(data)
  } finally {
    await rm(data, { recursive: true, force: true, maxRetries: 5 })
  }
}

function judgeProvider(data: string): Promise<number> {
  return runHere(process.execPath, [
    join(rig, 'run.mjs'),
    join(here, 'plan.json'),
    ...['--op', `GATEHOUSE_DATA_DIR=${data} ${process.execPath} ${join(here, 'provider.ts')}`],
    ...['--expect', join(here, 'expected.json')],
    ...process.argv.slice(2),
  ])
}

/** The rig only starts the suite and the program that logs in at it, and ends both. */
async function judgeRelyingParty(data: string): Promise<number> {
  const results = join(data, 'results.json')
  const program = `GATEHOUSE_DATA_DIR=${data} RELYING_PARTY_RESULTS=${results} exec ${process.execPath} ${join(here, 'relying-party.ts')}`
  const child = spawn(process.execPath, [join(rig, 'run.mjs'), '--serve', '--op', program, ...rest], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  while (child.exitCode === null && child.signalCode === null && !existsSync(results))
    await Promise.race([sleep(500), ended])
  const done = existsSync(results) ? (JSON.parse(await readFile(results, 'utf8')) as ModuleResult[]) : []
  child.kill('SIGTERM')
  await ended
  for (const { right, result, module, login, faults } of done)
    console.log(`${right ? 'right' : 'WRONG'}  ${result.padEnd(7)} ${module} (${login}) ${faults.join('; ')}`)
  const wrong = done.filter(({ right }) => !right).length
  console.log(`# ${done.length} modules, ${wrong} wrong`)
  return done.length === 0 || wrong > 0 ? 1 : 0
}
