import { AsyncResource } from 'node:async_hooks'
import type { Pool, PoolClient } from 'pg'

/** Told about every query that ended, well or not: its name, how long it took in seconds, the wait for a connection not
 * counted, and what it failed with. Called in the asynchronous context of the caller, so a span can be made of it. */
export type ObserveQuery = (operation: string, seconds: number, error?: unknown) => void

/** Told how long each query or transaction waited for a connection of the pool, in seconds. */
export type ObserveWait = (seconds: number) => void

type Callback = (...results: unknown[]) => void

const writtenTable = /\b(insert\s+into|update|delete\s+from)\s+([a-z_]+\.[a-z_]+)/gi
const firstTable = /\b(?:from|into|update)\s+((?:only\s+)?["a-z_.]+)/i

/**
 * A name for a query that serves as a metric's label and as a span's name: the prepared statement's own, else its verb
 * and its first table, as in `select clients.clients`; of a `with …` what it writes last, or reads. No digit gets in, so partitions
 * by date do not make new names.
 */
export function nameOperation(query: unknown): string {
  const { name, text } =
    typeof query === 'string' ? { text: query } : (query as { name?: string; text?: string })
  if (name) return name
  const sql = text?.trimStart() ?? ''
  const verb = /^[a-z]+/i.exec(sql)?.[0].toLowerCase() ?? 'other'
  return verb === 'with' ? nameWith(sql) : named(verb, firstTable.exec(sql)?.[1])
}

function nameWith(sql: string): string {
  const [, write, table] = [...sql.matchAll(writtenTable)].at(-1) ?? []
  return write
    ? named(write.split(/\s/, 1)[0]?.toLowerCase() ?? write, table)
    : named('select', firstTable.exec(sql)?.[1])
}

function named(verb: string, table: string | undefined): string {
  return table === undefined ? verb : `${verb} ${table.replaceAll('"', '')}`
}

/** Measures all queries of a new connection, whoever sends them. */
export function timeQueries(client: PoolClient, observe: ObserveQuery): void {
  const send = client.query.bind(client) as (...values: unknown[]) => unknown
  const timed = (...values: unknown[]) => {
    const query = values[0]
    // Cursors and streams end when their reader likes.
    if (typeof (query as { submit?: unknown } | null)?.submit === 'function') return send(...values)
    const start = performance.now()
    const end = (error?: unknown) => observe(nameOperation(query), (performance.now() - start) / 1000, error)
    const last = values.length - 1
    const callback = values[last]
    if (typeof callback === 'function') {
      values[last] = inCallersContext((...results) => {
        end(results[0] ?? undefined)
        callback(...results)
      })
      return send(...values)
    }
    return (send(...values) as Promise<unknown>).then(
      (result) => {
        end()
        return result
      },
      (error) => {
        end(error)
        throw error
      },
    )
  }
  client.query = timed as typeof client.query
}

/**
 * Measures how long callers wait for a connection of a pool, in `query` and in `connect`. Also keeps the caller's
 * asynchronous context over the wait, which would end in that of whoever gave the connection back.
 */
export function timeWaits(pool: Pool, observe?: ObserveWait): void {
  const connect = pool.connect.bind(pool) as (callback?: Callback) => Promise<PoolClient> | undefined
  const timed = (callback?: Callback) => {
    const start = performance.now()
    const end = () => observe?.((performance.now() - start) / 1000)
    if (callback === undefined) return connect()?.finally(end)
    return connect(
      inCallersContext((...results) => {
        end()
        callback(...results)
      }),
    )
  }
  pool.connect = timed as typeof pool.connect
}

/** What AsyncLocalStorage.bind does, in a fortieth of its time (3 µs, which counts here). */
function inCallersContext(callback: Callback): Callback {
  const context = new AsyncResource('query', { requireManualDestroy: true })
  return (...results) => context.runInAsyncScope(callback, undefined, ...results)
}
