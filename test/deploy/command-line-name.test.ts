import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { run } from '@gatehouse/test/programs/programs'
import { expect, onTestFinished, test } from 'vitest'

const script = join(rootDirectory, 'gatehouse')

/** A stranger's package has this name on npm, and npx fetches it wherever there is no clone. */
const stranger =
  /\b(npx|npm (exec|x|i|install -g|install --global)|pnpx|bunx|pnpm dlx|yarn dlx)(?: -\S+)*(?: --)? gatehouse\b/

test('nothing that people read has them run the package of a stranger', () => {
  // The example is joined, so that this file is not found.
  expect(['npx', '-y', 'gatehouse', 'status'].join(' ')).toMatch(stranger)
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: rootDirectory, encoding: 'utf8' })
    .split('\0')
    .filter((name) => /(\.(md|ts|tsx|html|json|yaml|tpl|txt|sh|js|py|eta)|^[^.]+)$/.test(name))
    .filter((name) => name !== 'package-lock.json' && name !== 'CHANGELOG.md')
  expect(files.length).toBeGreaterThan(500)
  const found = files.filter((name) => {
    const path = join(rootDirectory, name)
    return statSync(path, { throwIfNoEntry: false })?.isFile() && stranger.test(readFileSync(path, 'utf8'))
  })
  expect(found).toEqual([])
})

test('./gatehouse works from any folder, by a link and with whatever Node.js, and keeps the folder it is called in', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-link-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  symlinkSync(script, join(directory, 'first'))
  symlinkSync('first', join(directory, 'gatehouse'))
  // No Node.js is on this PATH.
  const env = { PATH: '/usr/bin:/bin', HOME: directory, GATEHOUSE_TOKEN: 'none' }
  for (const program of [script, './gatehouse', join(directory, 'first')]) {
    const { stdout, stderr } = await run(program, ['--version'], { cwd: directory, env })
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+\n$/), ''])
  }
  const missing = await run('./gatehouse', ['apply', '-f', 'nothing.yaml', '--yes'], { cwd: directory, env })
  expect(missing.ok).toBe(false)
  expect(missing.stderr).toMatch(/^nothing\.yaml [^\n]+\n$/)
})

test('./gatehouse says what to do before npm ci', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-bare-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  execFileSync('cp', [script, directory])
  const { ok, stderr } = await run(join(directory, 'gatehouse'), ['status'])
  expect({ ok, stderr }).toEqual({ ok: false, stderr: `gatehouse: run npm ci in ${directory} first\n` })
})
