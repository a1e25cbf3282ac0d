import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import type { DatabaseTls } from './tls.ts'
import { adviseOnTls } from './tls-errors.ts'

/** How node-postgres and `DatabaseClient` connect. */
export type ConnectionConfig = ClientConfig & { tls: DatabaseTls }

/** The parts of node-postgres's connection that are used here. */
type Connection = NodeJS.EventEmitter & { stream: Socket; attachListeners(stream: Socket): void }

/** A client of node-postgres that encrypts as `sslmode` says, and whose errors say what to do about TLS. */
export class DatabaseClient extends Client {
  constructor(config: ConnectionConfig) {
    const { tls } = config
    const ssl = tls.options()
    const negotiation = tls.direct ? { sslnegotiation: 'direct' } : {}
    super({ ...config, ...negotiation, ssl } as ClientConfig)
    const { connection } = this as unknown as { connection: Connection }
    // Before node-postgres's own listeners, which hand the errors on.
    connection.on('error', (error) => adviseOnTls(error, ssl !== false))
    connection.on('errorMessage', (error) => adviseOnTls(error, connection.stream !== plain))
    const plain = connection.stream
    if (ssl !== false && tls.optional) goOnWithoutTls(connection)
  }
}

/**
 * Goes on without TLS when the server answers that it has none (`N`), which node-postgres takes for an error.
 * https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
 */
function goOnWithoutTls(connection: Connection): void {
  const { stream } = connection
  const emit = stream.emit.bind(stream)
  stream.emit = (event: string | symbol, ...values: unknown[]) => {
    if (event !== 'data') return emit(event, ...values)
    stream.emit = emit
    const [answer] = values as [Buffer]
    if (answer.toString('latin1') !== 'N') return emit(event, ...values)
    stream.removeAllListeners('data')
    connection.attachListeners(stream)
    return connection.emit('sslconnect')
  }
}
