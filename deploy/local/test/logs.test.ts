import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLogWriter, keepLogsSmall, logSize, openLog, readLog } from '../src/logs.ts'

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-logs-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a log that another process writes is kept small while it runs, and its lines stay whole', async () => {
  const directory = makeDirectory()
  const file = join(directory, 'token.log')
  const log = openLog(file)
  const size = 100_000
  const messages: string[] = []
  onTestFinished(keepLogsSmall(directory, (line) => messages.push(line), { size, every: 10 }))
  // 1.2 MB within some seconds.
  const script = `let n = 0
    const timer = setInterval(() => {
      for (let i = 0; i < 20; i++) require('fs').writeSync(1, String(n++).padStart(99, '0') + '\\n')
      if (n >= 12_000) clearInterval(timer)
    }, 1)`
  const writer = spawn(process.execPath, ['-e', script], { stdio: ['ignore', log, 'inherit'] })
  closeSync(log)
  await once(writer, 'exit')
  await expect.poll(() => logSize(file), { timeout: 30_000 }).toBeLessThanOrEqual(size)

  expect(messages).toEqual([])
  expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600)
  const kept = readFileSync(`${file}.1`, 'utf8') + readFileSync(file, 'utf8')
  const lines = kept.trimEnd().split('\n').map(Number)
  expect(lines.at(-1)).toBe(11_999)
  for (const [index, line] of lines.entries())
    if (index > 0) expect(line).toBeGreaterThan(lines[index - 1] ?? 0)
})

test('a log that has become shorter is read from its beginning, and one that is gone is empty', () => {
  const file = join(makeDirectory(), 'token.log')
  expect(readLog(file, 0)).toBe('')
  const log = openLog(file)
  const write = createLogWriter(() => undefined)
  write(log, Buffer.from('one\ntwo\n'), file)
  closeSync(log)
  expect(readLog(file, 4)).toBe('two\n')
  expect(readLog(file, 1_000)).toBe('one\ntwo\n')
})

test.skipIf(process.platform !== 'linux')('a loss is told once, and again after a success', () => {
  const directory = makeDirectory()
  const [full, free] = [openSync('/dev/full', 'a'), openLog(join(directory, 'free.log'))]
  onTestFinished(() => [full, free].forEach(closeSync))
  const messages: string[] = []
  const write = createLogWriter((line) => messages.push(line))
  const line = Buffer.from('a line\n')
  write(full, line, 'token.log')
  write(full, line, 'events.log')
  expect(messages).toEqual([
    'token.log cannot be written (ENOSPC): lines of the logs are lost until there is room on the disk',
  ])
  write(free, line, 'free.log')
  write(full, line, 'events.log')
  expect(messages).toHaveLength(2)
  expect(readLog(join(directory, 'free.log'), 0)).toBe('a line\n')
})
