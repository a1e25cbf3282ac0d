import { chmodSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSystem } from '../src/system.ts'
import { makeWorkspace } from './workspace.ts'

/** The files below a directory that other users may read, and the folders that they may list or write to. */
function openToOthers(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const found = lstatSync(join(directory, name))
    // A link has no mode of its own.
    return !found.isSymbolicLink() && (found.mode & (found.isDirectory() ? 0o066 : 0o077)) !== 0
  })
}

test('other users read no file in the data directory, whatever the umask and the earlier release', async () => {
  const { directory, data, env } = makeWorkspace()
  const earlier = process.umask(0)
  onTestFinished(() => void process.umask(earlier))
  const start = () =>
    startSystem({
      env,
      log: () => undefined,
      durable: false,
      entry: (name) => join(directory, `${name}.mjs`),
    })
  const first = await start()
  onTestFinished(() => first.stop())
  expect(readdirSync(data)).toEqual(
    expect.arrayContaining(['launcher.pid', 'launcher.lock', 'postgres.pid', 'database-url', 'secrets.json']),
  )
  expect(openToOthers(data)).toEqual([])
  await first.stop()

  // Of a killed launcher of 0.6.0.
  writeFileSync(join(data, 'launcher.pid'), '1\n')
  chmodSync(join(data, 'launcher.pid'), 0o644)
  const second = await start()
  onTestFinished(() => second.stop())
  expect(openToOthers(data)).toEqual([])
}, 120_000)
