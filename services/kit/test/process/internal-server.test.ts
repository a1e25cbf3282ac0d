import { afterEach, expect, test } from 'vitest'
import { startInternalServer } from '../../src/process/internal-server.ts'
import { listenError } from '../../src/process/process.ts'
import { createRegistry, Gauge } from '../../src/telemetry/metrics.ts'

const open: { close(): unknown }[] = []
afterEach(() => {
  for (const one of open.splice(0)) one.close()
})

async function start(isReady = () => true, port = 0) {
  const registry = createRegistry('1.2.3')
  const started = await startInternalServer({ host: '127.0.0.1', port, registry, isReady })
  open.push(started.server)
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${started.port}${path}`)
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      text: await response.text(),
    }
  }
  return { get, registry, port: started.port }
}

test('/live answers while the event loop runs, ready or not', async () => {
  const { get } = await start(() => false)
  expect(await get('/live')).toMatchObject({ status: 200, text: 'live\n' })
})

test('/ready follows the state of the process', async () => {
  let ready = false
  const { get } = await start(() => ready)
  expect((await get('/ready')).status).toBe(503)
  ready = true
  expect((await get('/ready')).status).toBe(200)
  ready = false
  expect((await get('/ready')).status).toBe(503)
})

test('/metrics returns the registry in the text exposition format', async () => {
  const { get, registry } = await start()
  new Gauge({ name: 'test_answer', help: 'The answer.', registers: [registry] }).set(42)
  const { status, type, text } = await get('/metrics')
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(text).toContain('# HELP test_answer The answer.\n# TYPE test_answer gauge\ntest_answer 42\n')
  expect(text).toContain(`oauth2_server_build_info{version="1.2.3",node="${process.version}"} 1`)
})

test('/metrics answers 500 if the metrics cannot be collected, and the listener keeps running', async () => {
  const { get, registry } = await start()
  const broken = new Gauge({
    name: 'test_broken',
    help: 'Broken.',
    registers: [registry],
    collect() {
      throw new Error('cannot be counted')
    },
  })
  expect(await get('/metrics')).toMatchObject({ status: 500, text: 'cannot be counted\n' })
  registry.removeSingleMetric('test_broken')
  expect(broken).toBeDefined()
  expect((await get('/metrics')).status).toBe(200)
})

test('every other path is not found', async () => {
  const { get } = await start()
  expect((await get('/')).status).toBe(404)
  expect((await get('/admin')).status).toBe(404)
})

test('a taken port is an error that names the variable to change', async () => {
  const { port } = await start()
  const failure = await start(() => true, port).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'EADDRINUSE' })
  expect(listenError(failure, port, 'OAUTH2_INTERNAL_PORT').message).toBe(
    `Port ${port} is taken: stop the other program or set OAUTH2_INTERNAL_PORT`,
  )
})
