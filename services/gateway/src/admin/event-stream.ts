import { Readable } from 'node:stream'
import { writePosition } from './event-order.ts'
import type { RecentEvents, Sources } from './recent-events.ts'

/** What a stream needs. */
export type EventStreamDeps = {
  recent: Pick<RecentEvents, 'watch'>
  /** Whether who watches may go on. */
  isStillIn(): Promise<boolean>
  /** How far the reader has come; undefined: they want what comes from now on. */
  position: Map<string, number> | undefined
  /** How often the stream checks whether the reader may go on, in milliseconds. */
  checkEvery?: number
}

/** How often something is sent at the least, so that nobody between takes the connection for dead, in milliseconds. */
const sayEvery = 15_000

/**
 * Server-sent events (the HTML standard's event streams): a message for each event with its envelope, and the position
 * behind it as its id; a message `sources` when it changes how the replicas are found.
 * @returns the body of the answer, and what ends it. It ends by itself when who watches may not go on
 */
export function eventStream({ recent, isStillIn, position, checkEvery = 5_000 }: EventStreamDeps): {
  body: Readable
  end(): void
} {
  let ready = true
  let over = false
  let lastSources = ''
  const stream = new Readable({
    read() {
      ready = true
    },
  })
  const send = (text: string) => {
    if (!over) ready = stream.push(text)
  }

  const watcher = {
    position,
    isReady: () => ready,
    take({ json }: { json: string }) {
      send(`id: ${writePosition(watcher.position ?? new Map())}\ndata: ${json}\n\n`)
    },
    see(sources: Sources) {
      const text = JSON.stringify(sources)
      if (text !== lastSources) send(`event: sources\ndata: ${text}\n\n`)
      lastSources = text
    },
  }
  // A browser comes again after so many milliseconds.
  send('retry: 1000\n\n')
  const unwatch = recent.watch(watcher)
  const saying = setInterval(() => send(':\n\n'), sayEvery)
  const checking = setInterval(async () => {
    if (!(await isStillIn())) end()
  }, checkEvery)
  const stop = () => {
    over = true
    unwatch()
    clearInterval(saying)
    clearInterval(checking)
  }
  const end = () => {
    if (over) return
    stop()
    stream.push(null)
  }
  stream.once('close', stop)
  return { body: stream, end }
}
