import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { watch } from '../src/measuring/usage.ts'

function start(script: string) {
  const child = spawn('sh', ['-c', script], { stdio: 'ignore', detached: true })
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid as number), 'SIGKILL')
  })
  return child
}

test('the CPU of a process and of its descendants, ended ones too, is told apart from an idle one’s', async () => {
  // The first child ends at once; the second spins on.
  const burn = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
  const tree = start(`sleep 0.2; (${burn}); while :; do :; done & wait`)
  const idle = start('exec sleep 30')
  await sleep(100)
  const stop = watch([
    { name: 'tree', pid: () => tree.pid, tree: true },
    { name: 'idle', pid: () => idle.pid },
  ])
  await sleep(1_500)
  const { processes, seconds } = stop()
  expect(seconds).toBeGreaterThan(1.4)
  const of = (name: string) => processes.find((one) => one.name === name)
  // Others may be at work on the machine; some of it the spinning process gets all the same.
  expect(of('tree')?.cores).toBeGreaterThan(0.1)
  expect(of('idle')?.cores).toBeLessThan(0.02)
  expect(of('idle')?.memory).toBeGreaterThan(100_000)
})

test('a process that has ended spoils the measurement', async () => {
  const child = start('sleep 0.1')
  const stop = watch([{ name: 'gateway', pid: () => (child.exitCode === null ? child.pid : undefined) }])
  await once(child, 'exit')
  expect(stop).toThrow('gateway ended during the run')
})
