import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const repository = fileURLToPath(new URL('../../', import.meta.url))
let checkout = ''

/** The parts of a checkout that npm reads. */
beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'gatehouse-install-'))
  const patterns = ['package.json', '*/package.json', 'package-lock.json', '.npmrc']
  const { stdout } = await run('git', ['ls-files', '-z', ...patterns], { cwd: repository })
  for (const file of stdout.split('\0').filter(Boolean))
    await cp(join(repository, file), join(checkout, file))
})
afterAll(() => rm(checkout, { recursive: true }))

/** The standard error of `npm ci` with the oldest supported Node. Nothing is installed. */
async function complaints(): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'))
  const pretend = `Object.defineProperty(process,'version',{value:'v20.19.0'})`
  const env = {
    ...Object.fromEntries(own),
    NODE_OPTIONS: `--import=data:text/javascript,${pretend}`,
    // The user's own npm settings may cause a warning.
    npm_config_userconfig: join(checkout, 'none'),
  }
  const install = run('npm', ['ci', '--dry-run', '--ignore-scripts', '--offline'], { cwd: checkout, env })
  return install.then(
    ({ stderr }) => stderr,
    ({ stderr }) => stderr,
  )
}

test('a working installation prints no warnings, even with the oldest Node', async () => {
  expect(await complaints()).toBe('')
})

test('an installation that cannot work explains why', async () => {
  await rm(join(checkout, 'package-lock.json'))
  expect(await complaints()).toContain(
    'npm error The `npm ci` command can only install with an existing package-lock.json',
  )
})
