import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import type { DatabaseTls } from './tls.ts'
import { adviseOnTls } from './tls-errors.ts'

/** How node-postgres and `DatabaseClient` connect. */
export type ConnectionConfig = ClientConfig & {
  /** The database that the next connection leads to; it is asked for at each connection. */
  target(): Target
  /** The current URL of the database. */
  urlNow(): string
}

/** A database, by the URL that names it. */
export type Target = {
  databaseUrl: string
  /** The servers that it may be on, in order. */
  servers: readonly [Server, ...Server[]]
  /** Finds the server that accepts writes; absent where any server is taken. */
  findWritable?: FindWritable
}

/** One server of a database. */
export type Server = {
  /** The URL for node-postgres, which names this server alone. */
  url: string
  tls: DatabaseTls
}

/** Finds the server of a list that accepts writes. @throws an error that says of each server why it does not */
export type FindWritable = (servers: readonly Server[]) => Promise<Address>

/** Where a server listens. A host that begins with `/` is the directory of a socket. */
export type Address = { host: string; port: number }

/** The parts of node-postgres's connection that are used here. */
type Connection = NodeJS.EventEmitter & { stream: Socket; attachListeners(stream: Socket): void }

/** node-postgres's callback. */
type Connected = ((error: Error) => void) | ((error: null, client: Client) => void)

/** The code of PostgreSQL for a change on a server that accepts none: the primary became a standby, or a name leads elsewhere. */
const readOnly = '25006'

/**
 * A client of node-postgres that connects to the server that accepts writes, encrypts as `sslmode` says, and whose errors say what to
 * do about TLS.
 */
export class DatabaseClient extends Client {
  /** Whether the server refused a change because it accepts none, so that the next connection may lead to another one. */
  demoted = false
  readonly #isOutdated: () => boolean
  readonly #find: (() => Promise<Address>) | undefined
  readonly #connection: Connection

  constructor(config: ConnectionConfig) {
    const { databaseUrl, servers, findWritable } = config.target()
    const [{ url, tls }] = servers
    const ssl = tls.options()
    const negotiation = tls.direct ? { sslnegotiation: 'direct' } : {}
    super({ ...config, ...negotiation, connectionString: url, ssl } as ClientConfig)
    this.#isOutdated = () => config.urlNow() !== databaseUrl
    this.#find = findWritable && (() => findWritable(servers))
    // node-postgres's types do not have it.
    const { connection } = this as unknown as { connection: Connection }
    this.#connection = connection
    // Before node-postgres's own listeners, which hand the errors on.
    connection.on('error', (error) => adviseOnTls(error, ssl !== false))
    connection.on('errorMessage', (error) => {
      adviseOnTls(error, connection.stream !== plain)
      this.demoted ||= error.code === readOnly
    })
    const plain = connection.stream
    if (ssl !== false && tls.optional) goOnWithoutTls(connection)
  }

  /** Whether the URL of the database is no longer that by which it connected. */
  get outdated(): boolean {
    return this.#isOutdated()
  }

  override connect(): Promise<Client>
  override connect(callback: Connected): void
  override connect(callback?: Connected): unknown {
    const find = this.#find
    if (find === undefined) return callback === undefined ? super.connect() : super.connect(callback)
    const connecting = find().then((address) => {
      Object.assign(this, address)
      return super.connect()
    })
    if (callback === undefined) return connecting
    return connecting.then(() => callback(null as never, this), callback as (error: Error) => void)
  }

  /** Closes the connection without a word, in whatever state it is. */
  abandon(): void {
    this.#connection.stream.destroy()
  }
}

/** A client whose statements lose their names: a pooler in transaction mode may prepare and execute one on two connections. */
export class UnnamedClient extends DatabaseClient {
  override query(query: unknown, ...rest: unknown[]): never {
    const asked = isNamed(query) ? { ...query, name: undefined } : query
    const send = super.query as (...values: unknown[]) => unknown
    return send.call(this, asked, ...rest) as never
  }
}

function isNamed(query: unknown): query is { name: string } {
  return typeof query === 'object' && query !== null && 'name' in query && !('submit' in query)
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
