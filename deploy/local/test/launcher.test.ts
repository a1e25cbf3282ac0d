import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { makeWorkspace, processesOf, until } from './workspace.ts'

const patience = 60_000

function launch(env: NodeJS.ProcessEnv) {
  const fixture = new URL('fixtures/launch.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [fixture], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const hasWritten = (text: string) =>
    until(
      () => output,
      ({ stdout }) => stdout.includes(text),
    )
  return { child, output, ended, hasWritten }
}

test(
  'it says how to use the system, and SIGTERM ends all of it with 0',
  async () => {
    const { directory, data, env } = makeWorkspace()
    const launcher = launch(env)
    await launcher.hasWritten('Ctrl-C stops everything.')
    const { stdout } = launcher.output
    expect(stdout).toMatch(/Gatehouse is running {2}ready in \d+\.\d s/)
    expect(stdout).toMatch(/URL +http:\/\/localhost:\d+\n/)
    expect(stdout).toMatch(/user admin, password ([a-z0-9]{5}-){3}[a-z0-9]{5}\n/)
    expect(stdout).toContain(data)
    expect(stdout).not.toContain('\u001b')

    const second = launch(env)
    expect(await second.ended).toBe(1)
    expect(second.output.stderr).toMatch(/^\S+ is in use by another Gatehouse \(process \d+\): [^\n]+\n$/)

    launcher.child.kill('SIGTERM')
    expect(await launcher.ended).toBe(0)
    expect(launcher.output.stdout).toMatch(/Stopping …\n.*Stopped\.\n$/)
    expect(launcher.output.stderr).toBe('')
    expect(processesOf(directory)).toEqual([])
  },
  patience,
)

test(
  'SIGKILL leaves nobody behind, and the next start finds everything as it was',
  async () => {
    const { directory, env } = makeWorkspace()
    const first = launch(env)
    await first.hasWritten('Ctrl-C stops everything.')
    expect(processesOf(directory).length).toBeGreaterThan(5)
    first.child.kill('SIGKILL')
    await first.ended
    const next = launch(env)
    await next.hasWritten('Ctrl-C stops everything.')
    expect(next.output.stdout).not.toContain('password')
    expect(processesOf(directory).filter((line) => line.includes('.mjs'))).toHaveLength(5)
    next.child.kill('SIGINT')
    expect(await next.ended).toBe(0)
    expect(processesOf(directory)).toEqual([])
  },
  patience,
)

test(
  'SIGINT during the start gives it up and leaves nobody behind',
  async () => {
    const { directory, env, behave } = makeWorkspace()
    behave('identity:slow')
    for (const moment of ['data.new', 'identity.mjs']) {
      const launcher = launch(env)
      await until(
        () => processesOf(directory).join('\n'),
        (lines) => lines.includes(moment),
      )
      launcher.child.kill('SIGINT')
      expect(await launcher.ended).toBe(0)
      expect(launcher.output.stdout).toMatch(/Stopping …\n.*Stopped\.\n$/)
      expect(launcher.output.stderr).toBe('')
      // The process that was killed last may be a moment in dying.
      await until(
        () => processesOf(directory),
        (left) => left.length === 0,
      )
    }
  },
  patience,
)

test(
  'a second signal does not wait for anybody',
  async () => {
    const { directory, env, behave } = makeWorkspace()
    behave('token:deaf')
    const launcher = launch(env)
    await launcher.hasWritten('Ctrl-C stops everything.')
    launcher.child.kill('SIGINT')
    await launcher.hasWritten('Stopping …')
    // npm passes on what the terminal has sent already.
    launcher.child.kill('SIGINT')
    await sleep(700)
    expect(launcher.child.exitCode).toBeNull()
    const began = performance.now()
    launcher.child.kill('SIGINT')
    expect(await launcher.ended).toBe(130)
    expect(performance.now() - began).toBeLessThan(1_000)
    await until(
      () => processesOf(directory),
      (left) => left.length === 0,
    )
  },
  patience,
)
