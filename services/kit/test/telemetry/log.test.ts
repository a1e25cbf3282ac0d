import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

/** Runs a program in a terminal of its own, and prints what it writes there. */
const script = '/usr/bin/script'
const canHaveTerminal = process.platform === 'linux' && existsSync(script)
const fixture = fileURLToPath(new URL('../fixtures/process.ts', import.meta.url))

let stop = () => {}
afterAll(() => stop())

test.skipIf(!canHaveTerminal)('a terminal gets readable lines, not JSON', async () => {
  const command = `exec ${process.execPath} ${fixture}`
  // A person's environment: colours are left out if the variables name a CI or a plain terminal.
  const env = { PATH: process.env.PATH, TERM: 'xterm-256color' }
  const terminal = spawn(script, ['-qec', command, '/dev/null'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  stop = () => void terminal.kill('SIGKILL')
  let shown = ''
  terminal.stdout.on('data', (data) => {
    shown += data
  })
  await expect.poll(() => shown, { timeout: 15_000 }).toContain('started')
  const line = shown.split('\n').find((one) => one.includes('started')) ?? ''
  // Coloured, on one line, with its fields.
  expect(line).toContain('\u001b[')
  expect(line).toMatch(/example.*internalPort/)
  expect(line).not.toContain('{"level"')
})
