import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

function start(variables: Record<string, string> = {}) {
  const child = fork(new URL('fixtures/process.ts', import.meta.url), {
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH, ...variables },
  })
  children.push(child)
  let output = ''
  let errors = ''
  child.stdout?.on('data', (data) => (output += data))
  child.stderr?.on('data', (data) => (errors += data))
  const closed = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    child,
    closed,
    message: once(child, 'message').then(([message]) => message as unknown),
    errors: () => errors,
    messages: () =>
      output
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { msg: string; [field: string]: unknown }),
    async logged(msg: string) {
      await expect.poll(() => output, { timeout: 10_000 }).toContain(`"msg":"${msg}"`)
    },
  }
}

const steps = (started: ReturnType<typeof start>) =>
  started.messages().flatMap(({ msg }) => (msg.startsWith('step: ') ? [msg.slice(6)] : []))

test.concurrent('a process tells its launcher when it serves, and its log says where', async () => {
  const started = start()
  expect(await started.message).toEqual({ type: 'ready' })
  await started.logged('started')
  const line = started.messages().find(({ msg }) => msg === 'started')
  expect(line).toMatchObject({ service: 'example', version: expect.stringMatching(/^\d/) })
  const ready = await fetch(`http://127.0.0.1:${line?.internalPort}/ready`)
  expect(ready.status).toBe(200)
  started.child.kill('SIGTERM')
  await started.closed
})

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  'on %s it stops in the reverse order of its start, each step after the one before, and exits with 0',
  async (signal) => {
    const started = start()
    await started.message
    started.child.kill(signal)
    expect(await started.closed).toEqual({ code: 0, signal: null })
    expect(steps(started)).toEqual(['registered last', 'registered second, and slow', 'registered first'])
    expect(started.messages()).toContainEqual(
      expect.objectContaining({ msg: 'step: registered first', aborted: true }),
    )
    expect(started.messages().at(-1)?.msg).toBe('stopped')
  },
)

test.concurrent('it stops in the same order when its launcher is gone', async () => {
  const started = start()
  await started.message
  started.child.disconnect()
  expect(await started.closed).toEqual({ code: 0, signal: null })
  expect(steps(started)).toEqual(['registered last', 'registered second, and slow', 'registered first'])
})

test.concurrent('a second signal does not cut the shutdown short', async () => {
  const started = start()
  await started.message
  started.child.kill('SIGTERM')
  await started.logged('stopping')
  started.child.kill('SIGINT')
  expect(await started.closed).toEqual({ code: 0, signal: null })
  expect(steps(started)).toHaveLength(3)
})

test.concurrent('a step that fails is logged, and the others are done', async () => {
  const started = start({ TEST_BEHAVIOUR: 'failing step' })
  await started.message
  started.child.kill('SIGTERM')
  expect((await started.closed).code).toBe(0)
  expect(steps(started)).toEqual(['registered last', 'registered first'])
  expect(started.messages()).toContainEqual(
    expect.objectContaining({ level: 50, err: expect.objectContaining({ message: 'cannot be closed' }) }),
  )
})

test.concurrent('a step that hangs does not keep the process alive for ever', async () => {
  const started = start({ TEST_BEHAVIOUR: 'hanging step' })
  await started.message
  const from = performance.now()
  started.child.kill('SIGTERM')
  expect((await started.closed).code).toBe(1)
  expect(performance.now() - from).toBeLessThan(8_000)
  expect(started.messages().at(-1)?.msg).toBe('not everything could be finished in time')
})

test.concurrent('a signal ends a process that is still starting', async () => {
  const started = start({ TEST_BEHAVIOUR: 'slow start', OAUTH2_INTERNAL_PORT: '0' })
  // Nothing is logged before it has started: the signal handlers are there as soon as the listener is.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  started.child.kill('SIGTERM')
  expect((await started.closed).code).toBe(0)
  expect(steps(started)).toEqual(['registered last', 'registered second, and slow', 'registered first'])
})

test.concurrent('a bad variable ends it with 78 and one line that says what to do', async () => {
  const started = start({ OAUTH2_GRPC_PORT: 'eighty' })
  expect((await started.closed).code).toBe(78)
  expect(started.errors()).toBe('example: OAUTH2_GRPC_PORT must be a port number; it is "eighty"\n')
  expect(started.messages()).toEqual([])
})

test.concurrent('two bad variables are two lines, each with the name of the process', async () => {
  const started = start({ OAUTH2_GRPC_PORT: 'eighty', LOG_LEVEL: 'loud' })
  expect((await started.closed).code).toBe(78)
  const lines = started.errors().trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(line).toMatch(/^example: (OAUTH2_GRPC_PORT|LOG_LEVEL) must be /)
})

test.concurrent.each(['OAUTH2_INTERNAL_PORT', 'OAUTH2_GRPC_PORT'])(
  'a taken port in %s ends it with 78 and a line that names the variable',
  async (variable) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const started = start({ [variable]: String(port) })
    const { code } = await started.closed
    other.close()
    expect(code).toBe(78)
    expect(started.errors()).toBe(`example: Port ${port} is taken: stop the other program or set ${variable}\n`)
  },
)

test.concurrent('a bug in the start ends it with 1 and tells where', async () => {
  const started = start({ TEST_BEHAVIOUR: 'crash' })
  expect((await started.closed).code).toBe(1)
  expect(started.errors()).toMatch(/^example: Error: a bug in the start\nexample: {5}at /)
})
