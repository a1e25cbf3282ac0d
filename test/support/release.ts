import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { programCache } from './programs/program-cache.ts'
import { must, run } from './programs/run.ts'

/** A published release, in its own checkout where its processes and tests can run. */
export type Release = {
  version: string
  root: string
  /** The names of its tests that fail now and then because of the tests themselves. */
  unreliable: readonly string[]
}

/** Where checkouts of releases are kept. */
export const releases = join(programCache, 'releases')

/**
 * Checks out the last release beside this checkout and installs its dependencies, unless that was done before.
 * @param commit another commit than the last release's
 * @returns undefined when this checkout does not have the commit (a shallow clone, no clone), which a line of output says
 * @throws Error when it is missing and nothing may be skipped (GATEHOUSE_TEST_FORBID_SKIP), or when it cannot be installed
 */
export async function checkOutLastRelease(commit?: string): Promise<Release | undefined> {
  const recorded = JSON.parse(
    await readFile(join(rootDirectory, 'test/upgrade/last-release.json'), 'utf8'),
  ) as { version: string; commit: string; unreliable: string[] }
  const wanted = commit ?? recorded.commit
  const git = (...argv: string[]) => run('git', ['-C', rootDirectory, ...argv])
  const { ok, stdout } = await git('rev-parse', '--verify', '--quiet', `${wanted}^{commit}`)
  if (!ok) {
    const line = `The commit of release ${recorded.version} is not in this checkout (git fetch --unshallow)`
    if (process.env.GATEHOUSE_TEST_FORBID_SKIP) throw new Error(line)
    console.log(`${line}: its tests are skipped.`)
    return undefined
  }
  const root = join(releases, stdout.trim())
  if (!existsSync(root)) await install(stdout.trim(), root)
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { version, root, unreliable: recorded.unreliable }
}

/** Installs into a temporary directory first, so that an interrupted run leaves no incomplete checkout. */
async function install(commit: string, root: string): Promise<void> {
  const unfinished = `${root}.${process.pid}`
  const env = ownEnvironment()
  console.log(`Installing the release of commit ${commit.slice(0, 12)} for the tests.`)
  try {
    await mkdir(dirname(root), { recursive: true })
    await must('git', ['clone', '--quiet', '--no-checkout', rootDirectory, unfinished], { env })
    await must('git', ['checkout', '--quiet', commit], { cwd: unfinished, env })
    const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
    await must('npm', ['ci', ...options], { cwd: unfinished, env })
    await rename(unfinished, root)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** The environment for programs of another checkout, without this one's node_modules/.bin and the variables of npm and vitest. */
export function ownEnvironment(root?: string): NodeJS.ProcessEnv {
  const others = (process.env.PATH ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  const own = root === undefined ? [] : [join(root, 'node_modules', '.bin')]
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|VITEST|NODE_|GATEHOUSE_TEST_DATABASE_URL)/i.test(name) || /^npm_config_/i.test(name),
  )
  return { ...Object.fromEntries(kept), PATH: [...own, ...others].join(delimiter) }
}
