import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hasSmallDisks, startOnSmallDisk } from '../../../test/support/postgres/small-disk.ts'
import { run } from '../../../test/support/programs/run.ts'

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const report = new URL('../src/import/report.ts', import.meta.url).href

/** Runs the command line `"$0" "$1" --help` in a shell, for what stands behind it. */
const inShell = (rest: string) => run('sh', ['-c', `"$0" "$1" --help ${rest}`, process.execPath, program])

test.skipIf(process.platform !== 'linux')('output that finds no room is a failure in one line', async () => {
  const { ok, stderr } = await inShell('> /dev/full')
  expect({ ok, stderr }).toEqual({ ok: false, stderr: 'The output cannot be written (ENOSPC).\n' })
  expect((await inShell('2> /dev/full')).ok).toBe(true)
})

test('a reader that has seen enough is no failure', async () => {
  const { stdout, stderr } = await inShell('| head -1; "$0" "$1" --help | true')
  expect(stdout).toMatch(/^Usage: gatehouse/)
  expect(stderr).toBe('')
})

test.skipIf(!hasSmallDisks)(
  'a report without room ends the import with a sentence, and does not hang',
  async () => {
    const script = `
    import { openReport } from ${JSON.stringify(report)}
    const report = await openReport(process.env.DIRECTORY + '/report')
    const written = await Promise.resolve()
      .then(async () => { for (let n = 0; n < 4000; n++) await report.write({ text: 'x'.repeat(1000) }) })
      .catch((error) => error)
    const closed = await report.close().catch((error) => error)
    console.log([written, closed].map((error) => error?.name + ': ' + error?.message).join('\\n'))`
    const { ended, output } = startOnSmallDisk([process.execPath, '--input-type=module', '-e', script], {
      size: 1,
      env: (directory) => ({ ...process.env, DIRECTORY: directory }),
    })
    expect(await ended).toBe(0)
    const sentence =
      /^CommandFailure: \S+report cannot be written \(ENOSPC: no space left on device, write\)\.$/
    const lines = output.stdout.trimEnd().split('\n')
    expect(lines).toEqual([expect.stringMatching(sentence), expect.stringMatching(sentence)])
  },
)
