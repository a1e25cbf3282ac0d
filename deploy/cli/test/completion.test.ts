import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootDirectory } from '@gatehouse/local/places'
import { gatehouseCommand } from '@gatehouse/test/programs/gatehouse-command'
import { type Program, program, run } from '@gatehouse/test/programs/programs'
import { runDirectory } from '@gatehouse/test/run-directory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { completionScripts } from '../src/completion.ts'

const { gatehouse } = gatehouseCommand(() => ({}))

test.each<[line: string, found: string[]]>([
  ['cli', ['clients', 'client-authentication-failures']],
  ['users set', ['set-role']],
  ['users set-role ann ', []],
  ['clients list --gr', ['--grant-type']],
  ['clients list --grant-type client', ['client_credentials']],
  ['clients list --limit 5 --sort -cr', ['-created_at']],
  ['--output y', ['yaml']],
  ['status --pro', ['--profile']],
  ['compl', ['completion']],
  ['nothing x', []],
])('gatehouse %s is completed', async (line, found) => {
  const { code, out } = await gatehouse(['complete', '--', ...line.split(' ')])
  expect([code, out.trim().split('\n').filter(Boolean).sort()]).toEqual([0, found.sort()])
})

test('a shell that there is no script for is refused', async () => {
  expect((await gatehouse(['completion', 'tcsh'])).code).toBe(2)
})

const programs: Record<keyof typeof completionScripts, string | undefined> = {
  bash: await program('bash'),
  zsh: await program('zsh'),
  fish: await program('fish' satisfies Program),
}

/** The commands after the script, which complete `gatehouse cli` and show the result. The name is as it was typed. */
const asking: Record<keyof typeof completionScripts, (typed: string) => string> = {
  bash: (typed) => `COMP_WORDS=('${typed}' cli); COMP_CWORD=1; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: (typed) => `words=('${typed}' cli); CURRENT=2; _gatehouse`,
  fish: (typed) => `complete -C "${typed} cli"`,
}
/** Outside of a line that is being edited, zsh lacks these two. */
const before: Partial<Record<keyof typeof completionScripts, string>> = {
  zsh: 'compdef() { : }\ncompadd() { print -l $found }',
}

describe.each(Object.keys(programs) as (keyof typeof programs)[])('the script for %s', (shell) => {
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(runDirectory(), 'completion-'))
    const path = join(directory, 'gatehouse')
    const main = join(rootDirectory, 'deploy/cli/src/main.ts')
    await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`)
    await chmod(path, 0o755)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test.skipIf(!programs[shell])('completes the names of commands', { timeout: 60_000 }, async () => {
    const { out } = await gatehouse(['completion', shell])
    // By its name, by its path, and in the home directory; the shell looks the name up without the path.
    for (const [typed, path] of [
      ['gatehouse', `${directory}:`],
      [join(directory, 'gatehouse'), ''],
      ['~/gatehouse', ''],
    ] as const) {
      const script = [before[shell], out, asking[shell](typed)].join('\n')
      const { stdout, stderr } = await run(programs[shell] ?? '', ['-c', script], {
        env: { ...process.env, HOME: directory, PATH: `${path}${process.env.PATH}` },
      })
      expect([typed, stderr, stdout.trim().split('\n').sort()]).toEqual([
        typed,
        '',
        ['client-authentication-failures', 'clients'],
      ])
    }
  })
})
