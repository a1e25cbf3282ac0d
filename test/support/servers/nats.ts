import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { program } from '../programs/programs.ts'
import { freePorts, prepareServer, type ServerProcess } from './server-process.ts'

const server = await program('nats-server')

/** Whether tests with NATS can run on this machine. */
export const hasNats = server !== undefined

/** A real NATS with JetStream, on a port of its own. */
export type TestNats = ServerProcess & {
  /** `host:port`. */
  address: string
  user: string
  pass: string
}

/** Prepares a NATS for a test file, without starting it. */
export async function prepareNats(): Promise<TestNats> {
  const [port] = await freePorts(1)
  const address = `127.0.0.1:${port}`
  const user = 'somebody'
  const pass = 'not-for-the-log'
  const process = await prepareServer(async (directory) => ({
    path: server as string,
    argv: [
      ...['--addr', '127.0.0.1', '--port', String(port), '--user', user, '--pass', pass],
      ...['--jetstream', '--store_dir', join(directory, 'data')],
    ],
    async probe() {
      const client = await connect({ servers: address, user, pass, reconnect: false })
      await client.close()
    },
  }))
  return { ...process, address, user, pass }
}
