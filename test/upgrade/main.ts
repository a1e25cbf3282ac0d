import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { run } from '@gatehouse/test/programs'
import { checkOutLastRelease, ownEnvironment, releases } from '@gatehouse/test/release'

// The last release's end-to-end tests on the tables of this one: it runs on them while an upgrade is rolled out, and after a
// roll-back. This release never runs on the tables of the last: its processes wait for the migrations. With a commit, that
// is taken for the last release; with names of test files after it, those are run instead of all.

const [commit, ...tests] = process.argv.slice(2)
const release = await checkOutLastRelease(commit)
if (release === undefined) process.exit(0)
const namesIn = async (root: string) => (await readdir(join(root, 'prisma/migrations'))).sort()
const released = new Set(await namesIn(release.root))
const added = (await namesIn(rootDirectory)).filter((name) => !released.has(name))
if (added.length === 0) {
  console.log(`No migration since ${release.version}: both releases have been tested on these tables.`)
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

/** A copy in which files may change, without what a system leaves behind. Files are links: nobody writes into them. */
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
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...(tests.length > 0 ? tests : ['test/e2e'])], {
    ...{ cwd: root, stdio: 'inherit' },
    env: ownEnvironment(root),
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) process.exitCode = 1
}
