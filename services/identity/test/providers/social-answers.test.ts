import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { fetchUntilDeadline } from '../../src/providers/provider-fetch.ts'

const mebibyte = 1_048_576
let server: Server | undefined
afterEach(() => server?.close().closeAllConnections())

/** Asks a provider that answers so. */
async function ask(answer: RequestListener) {
  server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const ask = fetchUntilDeadline({ fetch, timeoutMs: 20_000 })
  const { port } = server.address() as AddressInfo
  return ask(`http://127.0.0.1:${port}/`, { body: null, headers: {}, method: 'GET', redirect: 'manual' })
}

test('an answer of 1 MiB is read, and one byte more is not', async () => {
  const read = await ask((_request, response) => response.end(Buffer.alloc(mebibyte, 'x')))
  expect((await read.text()).length).toBe(mebibyte)
  await expect(
    ask((_request, response) => response.end(Buffer.alloc(mebibyte + 1, 'x'))),
  ).rejects.toMatchObject({
    name: 'ProviderFailure',
    message: expect.stringContaining('more than 1048576 bytes'),
  })
})

test('an answer without end is not read to its end, and its connection is closed', async () => {
  let sent = 0
  let closed = false
  const failure = await ask((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
      response.once('drain', more)
    }
    response.on('close', () => {
      closed = true
    })
    more()
  }).catch((error: Error) => error)
  expect(failure).toMatchObject({ message: expect.stringContaining('more than 1048576 bytes') })
  await expect.poll(() => closed, { timeout: 15_000 }).toBe(true)
  expect(sent).toBeLessThan(20 * mebibyte)
})

test('a small answer that unfolds to a large one counts by what it unfolds to', async () => {
  const bomb = gzipSync(Buffer.alloc(64 * mebibyte))
  const failure = ask((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  await expect(failure).rejects.toMatchObject({ message: expect.stringContaining('more than 1048576 bytes') })
})
