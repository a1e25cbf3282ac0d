import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { must, run } from '@gatehouse/test/programs/run'
import { ownEnvironment } from '@gatehouse/test/release'
import { runDirectory } from '@gatehouse/test/run-directory'
import { applyEdits, type Edit } from './edit.ts'
import { filesOfRepository } from './product.ts'

/** A copy of this checkout, in which additions are made. */
export type Scratch = {
  root: string
  /** Changes files of the copy. @throws Misfit */
  make(edits: readonly Edit[]): Promise<void>
  /** Generates what follows from other files, as `npm run generate` does, without the console. */
  generate(): Promise<void>
  /** Builds the console. */
  buildConsole(): Promise<void>
  /** Compiles the copy. @returns the files in which the compiler finds something wrong, and all that it says */
  compile(): Promise<{ files: string[]; output: string }>
  /** The text of a file of the copy. */
  text(file: string): Promise<string>
  /** Removes the copy. */
  remove(): Promise<void>
}

/** Generated code that is not in git. */
const generated = [
  'proto/gen',
  'prisma/generated',
  'services/admin-api/src/generated',
  'services/console/dist',
]

/** Copies this checkout as it is, with changes that are not committed, and without what git ignores. */
export async function copyCheckout(): Promise<Scratch> {
  const root = await mkdtemp(join(runDirectory(), 'touch-'))
  const files = filesOfRepository()
  for (const folder of new Set(files.map(dirname))) await mkdir(join(root, folder), { recursive: true })
  // A file that was deleted and not committed is still in git's list.
  const copies = files.map((file) => cp(join(rootDirectory, file), join(root, file)).catch(ignoreMissing))
  await Promise.all(copies)
  for (const folder of generated)
    await cp(join(rootDirectory, folder), join(root, folder), { recursive: true })
  for (const workspace of ['.', 'services/admin-api', 'services/console', 'services/identity', 'test'])
    await linkPackages(join(rootDirectory, workspace), join(root, workspace))

  let contractsChanged = false

  /** @param folder where the program runs, in the copy */
  const inCopy = (folder: string, program: string, ...argv: string[]) =>
    must(program, argv, { cwd: join(root, folder), env: ownEnvironment(root) })

  return {
    root,
    async make(edits) {
      const changed = new Map<string, string>()
      const names = new Set(edits.map(({ file }) => file))
      const before = new Map<string, string>()
      for (const name of names) {
        const text = await readFile(join(root, name), 'utf8').catch(ignoreMissing)
        if (text !== undefined) before.set(name, text)
      }
      applyEdits(edits, (file) => before.get(file), changed)
      contractsChanged ||= [...changed.keys()].some((file) => file.endsWith('.proto'))
      for (const [file, text] of changed) {
        await mkdir(dirname(join(root, file)), { recursive: true })
        await writeFile(join(root, file), text)
      }
    },
    async generate() {
      if (contractsChanged) await inCopy('proto', 'npm', 'run', 'generate')
      contractsChanged = false
      await inCopy('.', process.execPath, 'tools/generated.ts', '--write')
      await inCopy('services/admin-api', 'npm', 'run', 'generate')
    },
    async buildConsole() {
      await inCopy('services/console', 'npm', 'run', 'generate')
    },
    async compile() {
      let output = ''
      for (const project of ['tsconfig.json', 'services/console']) {
        // The second time the compiler looks only at what has changed.
        const kept = join(root, 'node_modules/.cache', `${basename(project)}.tsbuildinfo`)
        const argv = ['--pretty', 'false', '-p', project, '--incremental', '--tsBuildInfoFile', kept]
        output += (await run('tsc', argv, { cwd: root, env: ownEnvironment(root) })).stdout
      }
      const files = output
        .split('\n')
        .flatMap((line) => /^([^\s(][^(]*)\(\d+,\d+\): error/.exec(line)?.[1] ?? [])
      return { files: [...new Set(files)].sort(), output }
    },
    text: (file) => readFile(join(root, file), 'utf8'),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/**
 * Links the packages that are installed in a workspace. Links to workspaces are relative, so in the copy they lead to those of the copy;
 * and caches are left out, since the copy writes its own.
 */
async function linkPackages(from: string, to: string): Promise<void> {
  const target = join(to, 'node_modules')
  await mkdir(target)
  for (const name of await readdir(join(from, 'node_modules'))) {
    const source = join(from, 'node_modules', name)
    if (name === '@gatehouse')
      await cp(source, join(target, name), { recursive: true, verbatimSymlinks: true })
    else if (!/^\.(?!bin$)/.test(name)) await symlink(source, join(target, name))
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
