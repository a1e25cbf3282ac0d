import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function start(variables: Record<string, string> = {}) {
  const child = fork(new URL('../fixtures/process.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH, ...variables },
  })
  children.push(child)
  const { stdout, stderr } = child
  if (!stdout || !stderr) return expect.unreachable('there are pipes')
  let written = ''
  stderr.on('data', (data) => {
    written += data
  })
  const exited = once(child, 'exit')
  const [output, errors] = [text(stdout), text(stderr)]
  return {
    child,
    message: once(child, 'message').then(([message]) => message as unknown),
    /** Waits until the process has written this to standard error. */
    async hasWritten(what: string) {
      await expect.poll(() => written, { timeout: 10_000 }).toContain(what)
    },
    async end() {
      const [code, signal] = await exited
      const logged = (await output).split('\n').filter((line) => line !== '')
      return {
        code: (signal ?? code) as unknown,
        written: (await errors).trimEnd().split('\n'),
        log: logged.map((line) => JSON.parse(line) as { msg: string; [field: string]: unknown }),
      }
    },
  }
}

const allSteps = ['third step', 'second step, slow', 'first step, stopping']

test.concurrent('a process tells its launcher when it serves, and logs its internal port', async () => {
  const started = start()
  expect(await started.message).toEqual({ type: 'ready' })
  started.child.kill('SIGTERM')
  const { log } = await started.end()
  expect(log).toContainEqual(
    expect.objectContaining({
      msg: 'started',
      service: 'example',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      internalPort: expect.any(Number),
    }),
  )
})

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s it stops in the reverse order of its start, one step at a time, and exits with 0',
  async (signal) => {
    const started = start()
    await started.message
    started.child.kill(signal)
    const { code, written, log } = await started.end()
    expect([code, written]).toEqual([0, allSteps])
    expect(log.map(({ msg }) => msg)).toContain('stopped')
  },
)

test.concurrent('it stops in the same order when its launcher is gone', async () => {
  const started = start()
  await started.message
  started.child.disconnect()
  const { code, written } = await started.end()
  expect([code, written]).toEqual([0, allSteps])
})

test.concurrent('a second signal does not cut the shutdown short', async () => {
  const started = start()
  await started.message
  started.child.kill('SIGTERM')
  await started.hasWritten('third step')
  started.child.kill('SIGINT')
  const { code, written } = await started.end()
  expect([code, written]).toEqual([0, allSteps])
})

test.concurrent('a step that fails is logged, and the other steps still run', async () => {
  const started = start({ TEST_BEHAVIOUR: 'failing step' })
  await started.message
  started.child.kill('SIGTERM')
  const { code, written, log } = await started.end()
  expect([code, written]).toEqual([0, ['third step', 'first step, stopping']])
  expect(log).toContainEqual(
    expect.objectContaining({ level: 50, err: expect.objectContaining({ message: 'cannot be closed' }) }),
  )
})

test.concurrent('a step that hangs does not keep the process alive for ever', {
  timeout: 40_000,
}, async () => {
  const started = start({ TEST_BEHAVIOUR: 'hanging step' })
  await started.message
  started.child.kill('SIGTERM')
  const { code, log } = await started.end()
  expect(code).toBe(1)
  expect(log.map(({ msg }) => msg)).toContain('not everything could be finished in time')
})

test.concurrent('a signal ends a process that is still starting', async () => {
  const started = start({ TEST_BEHAVIOUR: 'slow start' })
  await started.hasWritten('starting')
  started.child.kill('SIGTERM')
  const { code, written } = await started.end()
  expect([code, written]).toEqual([0, ['starting', ...allSteps]])
})

test.concurrent('the log is complete and in order to its last line', async () => {
  const started = start({ TEST_BEHAVIOUR: 'talkative step' })
  await started.message
  started.child.kill('SIGTERM')
  const { log } = await started.end()
  const lines = log.flatMap(({ line }) => (line === undefined ? [] : [line]))
  expect(lines).toEqual(Array.from({ length: 200 }, (_, line) => line))
  expect(log.at(-1)?.msg).toBe('stopped')
})

test.concurrent('a wrong variable ends it with 78 and one line that says what to do', async () => {
  const { code, written, log } = await start({ OAUTH2_GRPC_PORT: 'eighty' }).end()
  expect([code, written]).toEqual([78, ['example: OAUTH2_GRPC_PORT must be a port number; it is "eighty"']])
  expect(log).toEqual([])
})

test.concurrent('two wrong variables give two lines, each with the name of the process', async () => {
  const { code, written } = await start({ OAUTH2_GRPC_PORT: 'eighty', LOG_LEVEL: 'loud' }).end()
  expect(code).toBe(78)
  expect(written).toHaveLength(2)
  for (const line of written) expect(line).toMatch(/^example: (OAUTH2_GRPC_PORT|LOG_LEVEL) must be /)
})

test.concurrent('an unknown variable gives a warning in the log', async () => {
  const started = start({ OAUTH2_INTERNAL_PROT: '9464', OAUTH2_JWT_SECRET: 'another process knows this one' })
  await started.message
  started.child.kill('SIGTERM')
  const { log } = await started.end()
  const warnings = log.filter(({ level }) => level === 40).map(({ msg }) => msg)
  expect(warnings).toEqual([
    'OAUTH2_INTERNAL_PROT is unknown and has no effect; the nearest known name is OAUTH2_INTERNAL_PORT',
  ])
})

test.concurrent.each(['OAUTH2_INTERNAL_PORT', 'OAUTH2_GRPC_PORT'])(
  'a taken port in %s ends it with 78 and one line that names the variable',
  async (variable) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, written } = await start({ [variable]: String(port) }).end()
    other.close()
    const line = `example: Port ${port} is taken: stop the other program or set ${variable}`
    expect([code, written]).toEqual([78, [line]])
  },
)

test.concurrent('a bug in the start ends it with 1 and a stack trace', async () => {
  const { code, written } = await start({ TEST_BEHAVIOUR: 'crash' }).end()
  expect(code).toBe(1)
  expect(written[0]).toBe('example: Error: a bug in the start')
  expect(written[1]).toMatch(/^example: {5}at /)
})
