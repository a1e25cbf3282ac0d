import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { rootDirectory } from '@gatehouse/local/places'
import { ProgramFailure } from '@gatehouse/test/programs/run'
import { platforms } from './base-images.ts'
import { makeRelease } from './make.ts'
import { withVersion } from './notes.ts'
import { publishRelease } from './publish.ts'
import { must, ReleaseFailure } from './shell.ts'
import { raiseVersion, versionOf } from './versions.ts'

const usage = `usage: npm run release -- prepare VERSION
       npm run release -- make --key FILE --source URL [--output DIRECTORY]
       npm run release -- publish --registry HOST/PATH [--output DIRECTORY] [--npm] [--plain-http]

prepare  writes VERSION into the packages, the chart, the documentation and CHANGELOG.md; you look at it and commit
make     tags the commit and makes the image (${Object.keys(platforms).join(' and ')}), the chart, the command line, their lists of packages,
         checksums and provenance, signed by the key in FILE, in DIRECTORY/VERSION (by default release/VERSION)
publish  pushes them; log in first: skopeo login HOST, npm login`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    key: { type: 'string' },
    source: { type: 'string' },
    output: { type: 'string', default: join(rootDirectory, 'release') },
    registry: { type: 'string' },
    npm: { type: 'boolean', default: false },
    'plain-http': { type: 'boolean', default: false },
  },
})

const [command, wanted = ''] = positionals
const output = resolve(values.output)

const commands: Record<string, () => Promise<void>> = {
  async prepare() {
    if (!/^\d+\.\d+\.\d+$/.test(wanted)) throw new ReleaseFailure('A version has the form 1.2.3.')
    const changelog = join(rootDirectory, 'CHANGELOG.md')
    writeFileSync(changelog, withVersion(readFileSync(changelog, 'utf8'), wanted))
    const changed = raiseVersion(rootDirectory, wanted)
    await must('npm', ['run', '--silent', 'release', '-w', 'proto'], { cwd: rootDirectory })
    await must('npm', ['run', '--silent', 'generate'], { cwd: rootDirectory })
    console.log(`${changed.length} files name ${wanted} now. Look at git diff, and commit.`)
  },
  async make() {
    const { key, source } = values
    if (!key || !source) throw new ReleaseFailure(usage)
    console.log(`The release is in ${await makeRelease({ output, key, source })}`)
  },
  async publish() {
    const { registry, npm } = values
    if (!registry) throw new ReleaseFailure(usage)
    const version = versionOf(rootDirectory)
    const folder = join(output, version)
    await publishRelease({ folder, version, registry, npm, plainHttp: values['plain-http'] })
  },
}

try {
  const run = command !== undefined && Object.hasOwn(commands, command) ? commands[command] : undefined
  if (!run) throw new ReleaseFailure(usage)
  await run()
} catch (error) {
  if (!(error instanceof ReleaseFailure || error instanceof ProgramFailure)) throw error
  console.error(error.message)
  process.exitCode = 1
}
