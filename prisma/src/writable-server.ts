import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostAndPort } from '@gatehouse/kit/host'
import { shared } from '@gatehouse/kit/shared'
import type { ClientConfig } from 'pg'
import { type Address, DatabaseClient, type FindWritable, type Server } from './client.ts'

/** In milliseconds: the longest that finding takes, which leaves a request of a pool time to connect. */
const patience = 1_500
/** How long a server that does not answer keeps the next one from being asked, in milliseconds. */
const head = 200

/**
 * Creates a function that finds the server that accepts writes. Each connection asks anew, so that a promoted server is found by
 * the next one; those of the same moment ask together. The server of the last time is asked first, and the others one by one as
 * soon as it fails, or after 200 ms.
 * @param settings the settings of node-postgres for the connections that ask
 */
export function createWritableFinder(settings: ClientConfig): FindWritable {
  let last: string | undefined
  let servers: readonly Server[] = []
  const find = shared(async () => {
    const ordered = servers.toSorted((one, other) => Number(other.url === last) - Number(one.url === last))
    const { url, ...address } = await firstWritable(ordered, settings)
    last = url
    return address
  })
  return (given) => {
    servers = given
    return find()
  }
}

type Found = Address & { url: string }

async function firstWritable(servers: readonly Server[], settings: ClientConfig): Promise<Found> {
  const giveUp = AbortSignal.timeout(patience)
  const found = new AbortController()
  const ended = AbortSignal.any([giveUp, found.signal])
  let before: Promise<unknown> = Promise.resolve()
  const attempts = servers.map((server) => {
    const turn = before
    const attempt = turn.then(() => ask(server, settings, ended))
    // Its own wait begins with its turn.
    before = turn.then(() =>
      Promise.race([attempt, sleep(head, undefined, { signal: ended })]).catch(() => undefined),
    )
    return attempt
  })
  try {
    return await Promise.any(attempts)
  } catch (error) {
    const { errors } = error as AggregateError
    throw new AggregateError(errors, errors.map(({ message }) => message).join('; '))
  } finally {
    found.abort()
  }
}

/** @throws an error that names the server, with its cause's code */
async function ask(server: Server, settings: ClientConfig, ended: AbortSignal): Promise<Found> {
  ended.throwIfAborted()
  const client = new DatabaseClient({
    ...settings,
    urlNow: () => server.url,
    target: () => ({ databaseUrl: server.url, servers: [server] }),
  })
  const { host, port } = client
  client.on('error', () => {})
  try {
    const late = once(ended, 'abort').then(() => Promise.reject(failure('it does not answer', 'ETIMEDOUT')))
    const asked = client.connect().then(() => client.query<Answer>('show transaction_read_only'))
    const { rows } = await Promise.race([asked, late])
    if (rows[0]?.transaction_read_only !== 'off') throw failure('it accepts no writes', '25006')
    void client.end()
    return { url: server.url, host, port }
  } catch (error) {
    client.abandon()
    const { message, code } = error as Error & { code?: string }
    const where = host.startsWith('/') ? host : hostAndPort(host, port)
    throw failure(`${where}: ${message || code}`, code, error)
  }
}

type Answer = { transaction_read_only: string }

function failure(message: string, code?: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code })
}
