import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** A connection on which a test sends what no HTTP client would send. */
export type RawConnection = {
  socket: Socket
  /** Everything that came. */
  received(): string
  /** The statuses of the answers that came, in order. */
  statuses(): number[]
  /** Resolves when the server has closed the connection. */
  closed: Promise<void>
}

/** Connects to a server on this machine, with TLS to an https:// URL. @param from the address to connect from */
export async function openRaw(baseUrl: string, from = '127.0.0.1'): Promise<RawConnection> {
  const { port, protocol } = new URL(baseUrl)
  const to = { host: '127.0.0.1', port: Number(port), localAddress: from }
  const encrypted = protocol === 'https:'
  const socket = encrypted ? connectTls({ ...to, rejectUnauthorized: false }) : connect(to)
  let text = ''
  socket.on('data', (data) => {
    text += data.toString('latin1')
  })
  // A server that closes a connection on which bytes are on their way resets it.
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise((resolve) =>
    socket.once(encrypted ? 'secureConnect' : 'connect', resolve).once('close', resolve),
  )
  return {
    socket,
    received: () => text,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
    closed,
  }
}
