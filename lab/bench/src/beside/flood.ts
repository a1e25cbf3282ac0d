import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The order for a flood. Each caller sends one request after the other, as fast as it is answered. */
export type FloodOrder = { port: number; request: string; callers: number; forMs: number }

/** The requests with one kind of answer. */
export type Answered = { count: number; p50Ms: number; p99Ms: number; slowestMs: number }

/** The result of a flood. */
export type FloodReport = {
  /** By status; 0 when the connection failed or there was no answer. */
  byStatus: Record<string, Answered>
  /** The number of 503 answers without Retry-After. */
  withoutRetryAfter: number
  /** From the first request to the last answer. */
  tookMs: number
}

// A separate program, so that the benchmark's process stays free to measure. It does as little as possible, because it shares
// the machine.

/** How long a caller waits for an answer, in milliseconds. */
const longestWait = 10_000

process.once('message', async (order: FloodOrder) => {
  const took = new Map<number, number[]>()
  let withoutRetryAfter = 0
  const sockets = await connectAll(order)
  const began = performance.now()
  const end = began + order.forMs

  const note = (status: number, sentAt: number, answer = '') => {
    if (status === 503 && !/^retry-after: [1-9]/im.test(answer)) withoutRetryAfter += 1
    const ms = performance.now() - sentAt
    const times = took.get(status)
    if (times) times.push(ms)
    else took.set(status, [ms])
  }

  const caller = { request: order.request, isOver: () => performance.now() >= end, note }
  const tooLong = setTimeout(() => {
    for (const socket of sockets) socket.destroy(new Error('no answer'))
  }, order.forMs + longestWait)
  // Callers start one after the other within a third of the time; a start at the same moment would be a different test.
  const asking: Promise<void>[] = []
  for (const [index, socket] of sockets.entries()) {
    const late = began + (order.forMs / 3) * (index / sockets.length) - performance.now()
    if (late >= 1) await sleep(late)
    asking.push(callRepeatedly(socket, caller))
  }
  await Promise.all(asking)
  clearTimeout(tooLong)
  const tookMs = performance.now() - began

  const byStatus: FloodReport['byStatus'] = {}
  for (const [status, times] of took) {
    const sorted = Float64Array.from(times).sort()
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
    byStatus[status] = { count: times.length, p50Ms: at(0.5), p99Ms: at(0.99), slowestMs: at(1) }
  }
  process.send?.({ byStatus, withoutRetryAfter, tookMs } satisfies FloodReport, () => process.exit(0))
})

type Caller = {
  request: string
  isOver(): boolean
  /** Called with each answer; the status is 0 when there was none. */
  note(status: number, sentAt: number, answer?: string): void
}

/** Sends one request after the other over a connection. */
function callRepeatedly(socket: Socket, { request, isOver, note }: Caller): Promise<void> {
  return new Promise((resolve) => {
    let received = ''
    let sentAt = 0
    const send = () => {
      received = ''
      sentAt = performance.now()
      socket.write(request)
    }
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      if (head === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1])
      if (received.length < head + 4 + length) return
      note(Number(received.slice(9, 12)), sentAt, received)
      if (isOver()) resolve()
      else send()
    })
    socket.once('error', () => {
      note(0, sentAt)
      resolve()
    })
    send()
  })
}

/** Connects all callers first, because a busy server accepts one new connection in each turn of its event loop. */
async function connectAll({ port, callers }: FloodOrder): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < callers) {
    const some = Array.from({ length: Math.min(100, callers - sockets.length) }, () =>
      connect({ host: '127.0.0.1', port, noDelay: true }),
    )
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    sockets.push(...some)
  }
  await sleep(200)
  return sockets
}
