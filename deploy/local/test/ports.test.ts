import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { requireFreePort, reservePorts } from '../src/ports.ts'

test('systems that start at the same moment get different ports', async () => {
  const reserved = await Promise.all(Array.from({ length: 40 }, () => reservePorts(11)))
  onTestFinished(async () => void (await Promise.all(reserved.map(({ release }) => release()))))
  const ports = reserved.flatMap((reservation) => reservation.ports)
  expect(ports).toHaveLength(440)
  expect(new Set(ports).size).toBe(440)
})

test.each(['::1', '[::1]', '::', '0.0.0.0'])('a port at %s is found free or taken', async (host) => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, host.replaceAll(/[[\]]/g, ''), resolve))
  const { port } = taken.address() as { port: number }
  await expect(requireFreePort(host, port)).rejects.toThrow(`Port ${port} is taken`)
  await new Promise((resolve) => taken.close(resolve))
  await expect(requireFreePort(host, port)).resolves.toBeUndefined()
})

test('a taken port is waited for as long as somebody may still be leaving it', async () => {
  const leaving = createServer()
  await new Promise<void>((resolve) => leaving.listen(0, '127.0.0.1', resolve))
  const { port } = leaving.address() as { port: number }
  await expect(requireFreePort('127.0.0.1', port)).rejects.toThrow(`Port ${port} is taken`)
  setTimeout(() => leaving.close(), 200)
  await expect(requireFreePort('127.0.0.1', port, 5_000)).resolves.toBeUndefined()
})
